// Sessions and transactions with TinkerPop's JavaScript driver 3.8.2: `g.tx()`, and a client with a session.

'use strict';

const assert = require('node:assert/strict');
const { randomUUID } = require('node:crypto');
const { after, before, beforeEach, describe, it } = require('node:test');
const gremlin = require('gremlin');

const URL = process.env.MANGROVE_URL;
const { traversal } = gremlin.process.AnonymousTraversalSource;
const { DriverRemoteConnection, Client } = gremlin.driver;

const mimeTypes = ['application/vnd.graphbinary-v1.0', 'application/vnd.gremlin-v3.0+json'];

for (const mimeType of mimeTypes) {
  describe(`sessions over ${mimeType}`, () => {
    const options = { mimeType };
    let connection, g;

    before(() => {
      connection = new DriverRemoteConnection(URL, { ...options, traversalSource: 'g' });
      g = traversal().withRemote(connection);
    });
    beforeEach(() => g.V().drop().iterate());
    after(async () => {
      await g.V().drop().iterate();
      await connection.close();
    });

    const count = async () => (await g.V().count().next()).value;

    it('commits', async () => {
      const tx = g.tx();
      const gtx = tx.begin();
      const ada = (await gtx.addV('person').property('name', 'ada').next()).value;
      await gtx.V(ada).property('age', 36).iterate();
      assert.deepEqual(await gtx.V(ada).values('age').toList(), [36]);
      assert.equal(await count(), 0);
      await tx.commit();
      assert.equal(await count(), 1);
    });

    it('rolls back', async () => {
      const tx = g.tx();
      await tx.begin().addV('person').iterate();
      await tx.rollback();
      assert.equal(await count(), 0);
    });

    it('says when a transaction conflicts', async () => {
      await g.addV('counter').property('n', 0).iterate();
      const transactions = [g.tx(), g.tx()];
      for (const tx of transactions) {
        const gtx = tx.begin();
        const n = (await gtx.V().hasLabel('counter').values('n').next()).value;
        await gtx.V().hasLabel('counter').property('n', n + 1).iterate();
      }
      await transactions[0].commit();
      await assert.rejects(transactions[1].commit(), (error) =>
        error.statusCode === 596 && /begin again/.test(error.message));
      assert.equal((await g.V().values('n').next()).value, 1);
    });

    it('keeps variables in a session', async () => {
      const client = new Client(URL, { ...options, traversalSource: 'g', session: randomUUID() });
      const script = async (text, bindings) => (await client.submit(text, bindings)).toArray();
      assert.deepEqual(await script('x = 5'), [5]);
      assert.deepEqual(await script("v = g.addV('a').property('n', x).next(); g.V(v).values('n')"), [5]);
      assert.equal(await count(), 0);
      await script('g.tx().commit()');
      assert.equal(await count(), 1);
      await script("g.addV('b')");
      await client.close();
      assert.equal(await count(), 1);
    });
  });
}
