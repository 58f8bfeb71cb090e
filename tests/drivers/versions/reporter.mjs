// A reporter for `node --test`: sums the JavaScript suites up by check and format, a line of JSON for each, like python_suite.py.

const BY_TEST = {
  commits: 'commit',
  'rolls back': 'rollback',
  'says when a transaction conflicts': 'conflict',
  'keeps variables in a session': 'session',
};
// By what the names of suites have.
const FORMATS = {
  'GraphBinary 1': 'graphbinary1',
  'graphbinary-v1.0': 'graphbinary1',
  'GraphSON 3': 'graphson3',
  'v3.0+json': 'graphson3',
};

const formatOf = (suite) => Object.entries(FORMATS).find(([words]) => suite.includes(words))?.[1];

export default async function* report(events) {
  const rows = new Map();
  // A suite is told of after its tests, and only it says which format they are about.
  let tests = [];
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, nesting, details } = data;
    const error = details.error?.cause ?? details.error?.message ?? 'skipped';
    const wrong = type === 'test:fail' || data.skip ? [`${name}: ${error}`] : [];
    if (nesting > 0) {
      tests.push({ name, wrong, seconds: details.duration_ms / 1000 });
      continue;
    }
    const format = formatOf(name);
    if (!format) yield `${name}: ${wrong}\n`;
    // What fails before or after all tests, such as a connection that does not open, fails every check of the suite.
    const around = wrong.filter((what) => !/\d+ subtests? failed/.test(what));
    for (const test of tests) {
      const check = BY_TEST[test.name] ?? 'getting-started';
      const row = rows.get(check + format) ?? { check, format, seconds: 0, tests: 0, wrong: [...around] };
      row.seconds += test.seconds;
      row.tests += 1;
      row.wrong.push(...test.wrong);
      rows.set(check + format, row);
    }
    tests = [];
  }
  for (const { check, format, seconds, tests, wrong } of rows.values()) {
    const message = wrong.join('; ').replaceAll('\n', ' ') || `${tests} tests`;
    const row = { check, format, passed: wrong.length === 0, seconds: Number(seconds.toFixed(3)), message };
    yield `check ${JSON.stringify(row)}\n`;
  }
}
