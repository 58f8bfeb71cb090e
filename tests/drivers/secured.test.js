'use strict';
// The npm driver 3.8.2 logs in over TLS, and may do what its user may. Ada was made by secured.py.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { describe, it } = require('node:test');
const gremlin = require('gremlin');

const { Client, DriverRemoteConnection } = gremlin.driver;
const { PlainTextSaslAuthenticator } = gremlin.driver.auth;
const { traversal } = gremlin.process.AnonymousTraversalSource;
const URL = process.env.MANGROVE_URL;

const options = (traversalSource, password = 'countess1815') => ({
  traversalSource,
  authenticator: new PlainTextSaslAuthenticator('ada', password),
  ca: [fs.readFileSync(process.env.MANGROVE_CA)],
  rejectUnauthorized: true,
});

describe('with users, over TLS', () => {
  it('runs bytecode for who has logged in', async () => {
    const connection = new DriverRemoteConnection(URL, options('gmodern'));
    assert.equal((await traversal().withRemote(connection).V().count().next()).value, 6);
    await connection.close();
  });

  const refused = async (client, script, status) => {
    await assert.rejects(client.submit(script), (error) => {
      assert.equal(error.statusCode, status, error.message);
      return true;
    });
    await client.close();
  };

  it('keeps to a role', () => refused(new Client(URL, options('gmodern')), "g.addV('x')", 403));
  it('refuses a wrong password', () => refused(new Client(URL, options('gmodern', 'countess1816')), 'g.V()', 401));
});
