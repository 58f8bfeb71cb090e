// Writes the request frames that the npm package gremlin 3.8.2 sends, as `requests/NAME.FORMAT.bin`.
//
//     npm install gremlin@3.8.2
//     NODE_PATH=node_modules node make_javascript_requests.js

const fs = require('fs');
const path = require('path');
const gremlin = require('gremlin');
const Connection = require('gremlin/lib/driver/connection');

const { P, TextP, t, order, scope, pop, column, cardinality, direction, merge, operator, pick } = gremlin.process;
const __ = gremlin.process.statics;
const g = gremlin.process.traversal().withRemote(null);
const ID = '41d2e28a-20a4-4ab0-b379-d810dede3786';

const traversals = {
  js_steps: g.V().has('person', 'name', 'marko').out('knows').values('name'),
  js_numbers: g.inject(1, 2147483648, 5.5, true, null),
  js_predicates: g.V().has('age', P.gt(29).and(P.lt(40)).or(P.eq(1))).has('age', P.within([1, 2, 3]))
    .has('age', P.without(4, 5)).has('age', P.between(1, 2)).has('name', TextP.startingWith('m'))
    .has('name', P.not(P.within('a'))),
  js_tokens: g.V().order().by(t.id, order.desc).select(pop.first, 'a').count(scope.local).select(column.keys)
    .toE(direction.out, 'knows').property(cardinality.set, 'k', 'v').fold(0, operator.sum),
  js_nested: g.V().repeat(__.out().simplePath()).until(__.has('name', 'x')).path().by('name').by(__.outE().count()),
  js_options: g.with_('evaluationTimeout', 500).V().count(),
  js_merge: g.mergeV(new Map([[t.id, 1], [t.label, 'person']])).option(merge.onCreate, new Map([['age', 29]])),
};

const folder = path.join(__dirname, 'requests');
const formats = {
  graphbinary: 'application/vnd.graphbinary-v1.0',
  graphson3: 'application/vnd.gremlin-v3.0+json',
  graphson2: 'application/vnd.gremlin-v2.0+json',
};
for (const [label, mimeType] of Object.entries(formats)) {
  const connection = new Connection('ws://localhost:0/gremlin', { mimeType, connectOnStartup: false });
  const frame = (op, processor, args) => {
    const request = connection._writer.writeRequest({ requestId: ID, op, processor, args });
    return Buffer.concat([Buffer.from(connection._header), Buffer.from(request)]);
  };
  for (const [name, traversal] of Object.entries(traversals)) {
    // The package writes a map as {} in GraphSON 2.
    if (name === 'js_merge' && label === 'graphson2') continue;
    const args = { gremlin: traversal.getBytecode(), aliases: { g: 'g' } };
    try {
      fs.writeFileSync(path.join(folder, `${name}.${label}.bin`), frame('bytecode', 'traversal', args));
    } catch (error) {
      console.log(`${name}.${label}: ${error.message}`);
    }
  }
  const script = { gremlin: 'g.V(x)', language: 'gremlin-groovy', bindings: { x: 1 }, aliases: { g: 'g' }, accept: mimeType };
  fs.writeFileSync(path.join(folder, `js_script.${label}.bin`), frame('eval', '', script));
}
