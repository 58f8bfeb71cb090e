'use strict';
// The getting-started traversals of TinkerPop's documentation, with the npm driver 3.8.2 and both of its formats.

const assert = require('node:assert/strict');
const { after, before, describe, it } = require('node:test');
const gremlin = require('gremlin');

const { Client, DriverRemoteConnection } = gremlin.driver;
const { P, TextP, order, t, statics: __ } = gremlin.process;
const { traversal } = gremlin.process.AnonymousTraversalSource;
const URL = process.env.MANGROVE_URL;

const formats = {
  'GraphBinary 1': 'application/vnd.graphbinary-v1.0',
  'GraphSON 3': 'application/vnd.gremlin-v3.0+json',
};

for (const [format, mimeType] of Object.entries(formats)) {
  describe(`getting started, ${format}`, () => {
    let connections, modern, g, client;

    before(async () => {
      connections = ['gmodern', 'g'].map(
        (traversalSource) => new DriverRemoteConnection(URL, { traversalSource, mimeType }));
      await Promise.all(connections.map((connection) => connection.open()));
      [modern, g] = connections.map((connection) => traversal().withRemote(connection));
      client = new Client(URL, { traversalSource: 'gmodern', mimeType });
    });

    after(() => Promise.all([...connections, client].map((open) => open.close())));

    const script = async (text, bindings) => (await client.submit(text, bindings)).toArray();
    const names = async (traversal) => (await traversal.values('name').toList()).sort();

    it('walks from marko to the people he knows', async () => {
      assert.equal((await modern.V(1).values('name').next()).value, 'marko');
      assert.deepEqual(await names(modern.V(1).outE('knows').inV()), ['josh', 'vadas']);
      assert.deepEqual(await names(modern.V(1).out('knows').has('age', P.gt(30))), ['josh']);
    });

    it('finds who created with marko', async () => {
      const others = modern.V().has('name', 'marko').as('exclude').out('created').in_('created')
        .where(P.neq('exclude'));
      assert.deepEqual(await names(others), ['josh', 'peter']);
    });

    it('counts and groups', async () => {
      assert.equal((await modern.V().count().next()).value, 6);
      const groups = (await modern.V().group().by(t.label).by('name').next()).value;
      assert.deepEqual(groups.get('software'), ['lop', 'ripple']);
      assert.equal((await modern.V().label().groupCount().next()).value.get('person'), 4);
    });

    it('repeats, and remembers its path', async () => {
      const path = (await modern.V(1).repeat(__.out()).times(2).path().by('name').next()).value;
      assert.deepEqual(path.objects, ['marko', 'josh', 'ripple']);
    });

    it('orders, limits, projects', async () => {
      const byAge = modern.V().hasLabel('person').order().by('age', order.desc).values('name');
      assert.deepEqual(await byAge.toList(), ['peter', 'josh', 'marko', 'vadas']);
      const row = (await modern.V(1).project('name', 'made').by('name').by(__.out('created').count()).next()).value;
      assert.deepEqual([row.get('name'), row.get('made')], ['marko', 1]);
      assert.equal((await modern.V().has('name', TextP.startingWith('m')).count().next()).value, 1);
    });

    it('reads elements with their properties', async () => {
      const vertex = (await modern.V(1).next()).value;
      assert.equal(vertex.label, 'person');
      const map = (await modern.V(1).elementMap().next()).value;
      assert.equal(map.get('age'), 29);
    });

    it('adds, changes and drops', async () => {
      await g.V().drop().iterate();
      const marko = (await g.addV('person').property('name', 'marko').next()).value;
      const stephen = (await g.addV('person').property('name', 'stephen').next()).value;
      await g.V(marko).addE('knows').to(__.V(stephen)).property('weight', 0.75).iterate();
      assert.equal((await g.V(marko).outE('knows').values('weight').next()).value, 0.75);
      await g.V(marko).property('name', 'Marko').iterate();
      assert.deepEqual(await names(g.V(marko)), ['Marko']);
      await g.V().drop().iterate();
      assert.equal((await g.V().count().next()).value, 0);
    });

    it('runs scripts with bindings', async () => {
      assert.deepEqual(await script('g.V().has("name", x).values("age")', { x: 'marko' }), [29]);
      assert.deepEqual(await script("g.V().hasLabel('nothing')"), []);
    });

    it('runs several requests on one connection at once', async () => {
      const counts = await Promise.all(Array.from({ length: 20 }, () => modern.V().count().next()));
      assert.ok(counts.every(({ value }) => value === 6));
    });

    it('says what is wrong', async () => {
      await assert.rejects(script('g.V().nope()'), (error) => error.statusCode === 597 && /nope/.test(error.message));
      await assert.rejects(
        modern.with_('evaluationTimeout', 50).V().repeat(__.both()).until(__.constant(1).is(2)).count().next(),
        (error) => error.statusCode === 598);
    });
  });
}
