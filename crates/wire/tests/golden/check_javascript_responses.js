// Reads the responses of `responses/` with the npm package gremlin 3.8.2 and checks what it makes of them.
//
//     NODE_PATH=node_modules node check_javascript_responses.js

const assert = require('assert');
const fs = require('fs');
const path = require('path');
const Connection = require('gremlin/lib/driver/connection');

const formats = {
  graphbinary: 'application/vnd.graphbinary-v1.0',
  graphson3: 'application/vnd.gremlin-v3.0+json',
};
for (const [label, mimeType] of Object.entries(formats)) {
  const connection = new Connection('ws://localhost:0/gremlin', { mimeType, connectOnStartup: false });
  const read = (name) =>
    connection._reader.readResponse(fs.readFileSync(path.join(__dirname, 'responses', `${name}.${label}.bin`)));

  const elements = read('elements');
  assert.strictEqual(elements.status.code, 206);
  const results = elements.result.data;
  assert.deepStrictEqual(results.map((r) => Number(r.bulk)), [1, 3, 1, 1, 1, 2, 1, 1]);
  const [marko, empty, knows, name, weight, visited, row] = results.map((r) => r.object);
  assert.strictEqual(Number(marko.id), 1);
  assert.strictEqual(marko.label, 'person');
  const properties = Array.isArray(marko.properties) ? marko.properties : Object.values(marko.properties).flat();
  assert.deepStrictEqual(properties.map((p) => p.value), ['marko', 'san diego', 'santa cruz']);
  assert.strictEqual(empty.label, 'empty');
  assert.strictEqual(Number(knows.inV.id), 2);
  assert.strictEqual(name.value, 'marko');
  assert.strictEqual(weight.value, 0.5);
  assert.strictEqual(visited.objects.length, 2);
  assert.strictEqual(row.get('name'), 'marko');
  assert.strictEqual(read('none').status.code, 204);
  assert.strictEqual(read('failed').status.message, 'no such property');
  console.log('ok', label);
}
