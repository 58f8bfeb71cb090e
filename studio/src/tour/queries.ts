/** Five queries on the graphs that `make run` serves, each with one sentence. */

/** A stop of the tour. */
export interface Stop {
  title: string;
  says: string;
  graph: string;
  text: string;
}

/** The stops, in their order. */
export const STOPS: Stop[] = [
  {
    title: 'The smallest graph',
    says: "TinkerPop's modern graph, all six edges of it with their ends: double-click a vertex to see what else is beside it.",
    graph: 'gmodern',
    text: 'g.E()',
  },
  {
    title: 'Friends of friends',
    says: 'The paths from one person over friends to theirs, as a picture: the colours are labels, the legend on the right changes how they look.',
    graph: 'g',
    text: "g.V().hasLabel('Person').limit(1)\n  .out('knows').limit(8)\n  .out('knows').limit(60)\n  .path()",
  },
  {
    title: 'The best-connected people',
    says: 'A table with a column for each name that project() has: sort it by a click, copy it, or take it along as CSV.',
    graph: 'g',
    text: "g.V().hasLabel('Person')\n  .order().by(out('knows').count(), desc).limit(20)\n  .project('first name', 'last name', 'friends')\n    .by('firstName').by('lastName').by(out('knows').count())",
  },
  {
    title: 'Where only existence matters',
    says: 'Profile this one: each person has a scope instance of its own, which is cancelled as soon as its first match is found.',
    graph: 'g',
    text: "g.V().hasLabel('Person')\n  .where(out('knows').out('likes').hasLabel('Post'))\n  .limit(10).values('firstName')",
  },
  {
    title: 'What people write about',
    says: 'Every post is looked at and its tags are counted: watch it under Operate while it runs, or stop it.',
    graph: 'g',
    text: "g.V().hasLabel('Post').out('hasTag')\n  .groupCount().by('name')\n  .order(local).by(values, desc).limit(local, 12)\n  .unfold().project('tag', 'posts').by(keys).by(values)",
  },
];
