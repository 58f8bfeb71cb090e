// Reads and writes a served graph: npm install gremlin@3.8.2, then node connect.js [ws://HOST:PORT/gremlin]
'use strict';

const gremlin = require('gremlin');
const { order, statics: __ } = gremlin.process;

async function main(url) {
  const connection = new gremlin.driver.DriverRemoteConnection(url, { traversalSource: 'g' });
  const g = gremlin.process.AnonymousTraversalSource.traversal().withRemote(connection);

  console.log('vertices by label:', (await g.V().groupCount().by(__.label()).next()).value);

  const ada = (await g.addV('Visitor').property('name', 'ada').next()).value;
  console.log('added', (await g.V(ada).elementMap().next()).value);
  await g.V(ada).drop().iterate();

  const top = g.V().hasLabel('Person').order().by(__.out('knows').count(), order.desc).limit(3)
    .project('name', 'friends').by('firstName').by(__.out('knows').count());
  console.log(await top.toList());

  await connection.close();
}

main(process.argv[2] || 'ws://localhost:8182/gremlin').catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
