/** What can stand behind the dot of a class: predicates, and the tokens of each. */

/** Classes whose members are called: `P.gt(`. */
const CALLED: Record<string, string> = {
  P: 'eq neq gt gte lt lte between inside outside within without not typeOf',
  TextP: 'startingWith endingWith containing notStartingWith notEndingWith notContaining regex notRegex',
};

const NAMED: Record<string, string> = {
  T: 'id label key value',
  Order: 'asc desc shuffle',
  Scope: 'local global',
  Pop: 'first last all mixed',
  Column: 'keys values',
  Cardinality: 'single list set',
  Direction: 'OUT IN BOTH from to',
  Operator: 'sum minus mult div min max assign and or addAll sumLong',
  Merge: 'onCreate onMatch outV inV',
  Pick: 'any none unproductive',
  DT: 'second minute hour day',
  GType:
    'BIGDECIMAL BIGINT BINARY BOOLEAN BYTE CHAR DATETIME DOUBLE DURATION EDGE FLOAT GRAPH INT LIST LONG MAP NULL NUMBER PATH PROPERTY SET SHORT STRING TREE UUID VERTEX VPROPERTY',
};

/** The members of a class, as they are typed; `null` if it is none. */
export function membersOf(name: string): string[] | null {
  if (Object.hasOwn(CALLED, name)) return (CALLED[name] ?? '').split(' ').map((member) => `${member}(`);
  return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? '').split(' ') : null;
}
