import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { launch, Studio } from './page';
import { PASSWORD } from './servers';

let browser: Browser;
let studio: Studio;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());
beforeEach(async () => {
  studio = await Studio.open(browser, { url: inject('closed') });
});
afterEach(async () => {
  expect(studio.wrong).toEqual([]);
  await studio.close();
});

const enter = async (user: string, password: string) => {
  await studio.page.getByLabel('Name').fill(user);
  await studio.page.getByLabel('Password or token').fill(password);
  await studio.button('Log in').click();
};

const logIn = async () => {
  await enter('admin', PASSWORD);
  await studio.editor.waitFor();
};

describe('a server with users and TLS', () => {
  it('asks who somebody is, and says that a password is wrong', async () => {
    await enter('admin', 'not the password');
    await expect.poll(() => studio.page.getByRole('alert').textContent()).toMatch(/password|wrong/i);
    expect(await studio.editor.count()).toBe(0);
    await logIn();
    expect(await studio.page.locator('.who').textContent()).toBe('admin');
    await studio.run('g.inject(1)');
    expect(await studio.column(1)).toEqual(['1']);
  });

  it('keeps what proves it where no script can read it', async () => {
    await logIn();
    const [cookie, ...others] = await studio.context.cookies();
    expect(others).toEqual([]);
    expect(cookie?.name).toBe(`mangrove-studio-${new URL(inject('closed')).port}`);
    expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Strict', path: '/' });
    const readable = await studio.page.evaluate(
      () => document.cookie + JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }),
    );
    expect(readable).not.toContain(cookie?.value ?? 'there is a cookie');
    expect(readable).not.toContain('mangroves');
  });

  it('knows who it was after a reload, and not after he logged out', async () => {
    await logIn();
    await studio.page.reload();
    await studio.editor.waitFor();
    await studio.button('Log out').click();
    await studio.button('Log in').waitFor();
    await studio.page.reload();
    await studio.button('Log in').waitFor();
  });

  it('asks again when a login ends while somebody works', async () => {
    await logIn();
    await studio.context.clearCookies();
    await studio.write('g.V()');
    await studio.page.keyboard.press('Control+Enter');
    await studio.button('Log in').waitFor();
  });

  it('keeps nothing for who comes after, and no passwords', async () => {
    await logIn();
    const name = `next-${Date.now()}`;
    await studio.run(`g.call('mangrove.users.add', ['name': '${name}', 'password': 'supersecret1', 'role': 'read'])`);
    await studio.button('Parameters').click();
    await studio.page.getByLabel('Variables of the query, as JSON').fill('{"pw": "topsecret9"}');
    await studio.run('g.inject(pw)');
    const kept = () =>
      studio.page.evaluate(() => JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }));
    expect(await kept()).not.toContain('supersecret1');
    await studio.button('Log out').click();
    await studio.button('Log in').waitFor();
    expect(await kept()).not.toContain('topsecret9');
    await enter(name, 'supersecret1');
    await studio.editor.waitFor();
    expect(await studio.editor.textContent()).not.toContain('pw');
    await studio.button('History').click();
    await studio.page.getByText('Nothing was run yet.').waitFor();
    await studio.button('Log out').click();
    await studio.button('Log in').waitFor();
    await enter('admin', PASSWORD);
    await studio.editor.waitFor();
    expect(await studio.editor.textContent()).toBe('g.inject(pw)');
    expect(await studio.page.getByLabel('Variables of the query, as JSON').count()).toBe(0);
  });

  it('does nothing in one tab as who logged in in another', async () => {
    await logIn();
    const name = `grace-${Date.now()}`;
    await studio.run(`g.call('mangrove.users.add', ['name': '${name}', 'password': 'nanoseconds', 'role': 'read'])`);
    const other = await studio.context.newPage();
    await other.goto(inject('closed'));
    await other.getByRole('button', { name: 'Log out' }).click();
    await other.getByLabel('Name').fill(name);
    await other.getByLabel('Password or token').fill('nanoseconds');
    await other.getByRole('button', { name: 'Log in' }).click();
    await other.locator('.who').waitFor();
    await studio.write("g.addV('zz')");
    await studio.page.keyboard.press('Control+Enter');
    await studio.button('Log in').waitFor();
    expect(await studio.page.getByRole('alert').textContent()).toContain('Somebody else has logged in');
    await studio.page.reload();
    await studio.page.locator('.who').waitFor();
    expect(await studio.page.locator('.who').textContent()).toBe(name);
    await other.close();
  });

  it('says so to a user whose last role is taken', async () => {
    await logIn();
    const name = `nobody-${Date.now()}`;
    const user = `['name': '${name}', 'password': 'nanoseconds', 'role': 'read']`;
    await studio.run(`g.call('mangrove.users.add', ${user})`);
    const other = await Studio.open(browser, { url: inject('closed') });
    await other.page.getByLabel('Name').fill(name);
    await other.page.getByLabel('Password or token').fill('nanoseconds');
    await other.button('Log in').click();
    await other.run('g.inject(1)');
    await studio.run(`g.call('mangrove.users.role', ['name': '${name}', 'role': 'none'])`);
    await other.write('g.inject(2)');
    await other.page.keyboard.press('Control+Enter');
    await other.page.getByText('has no role on any graph').waitFor();
    await studio.run(`g.call('mangrove.users.role', ['name': '${name}', 'role': 'read'])`);
    await other.page.waitForTimeout(2100);
    await other.button('Look again').click();
    await other.run('g.inject(3)');
    expect(other.wrong).toEqual([]);
    await other.close();
  });

  it('lets an admin look after users, who see what they may', async () => {
    await logIn();
    await studio.go('operate');
    const users = studio.page.getByRole('region', { name: 'Users' });
    await users.getByRole('cell', { name: 'admin (you)' }).waitFor();
    const name = `ada<b>${Date.now()}`.replace(/[<>]/g, '-');
    await users.getByLabel('Name').fill(name);
    await users.getByLabel('Password').fill('countess1815');
    await users.locator('form select[name=role]').selectOption('read');
    await users.getByRole('button', { name: 'Add' }).click();
    const row = users.getByRole('row', { name: new RegExp(name) });
    await row.waitFor();
    const [role, on] = [
      row.getByLabel(`Role of ${name}`, { exact: true }),
      row.getByLabel(`Graph of the role of ${name}`),
    ];
    const sent: string[] = [];
    studio.page.on('request', (request) => sent.push(request.postData() ?? ''));
    // What is only passed on the way to another is not sent.
    await role.focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp']) await studio.page.keyboard.press(key);
    expect(await role.inputValue()).toBe('write');
    expect(sent.filter((body) => body.includes('mangrove.users.role'))).toEqual([]);
    await row.getByRole('button', { name: 'Change' }).click();
    await users.getByText(`${name} has another role`).waitFor();
    expect(await role.inputValue()).toBe('write');
    await on.selectOption('g');
    await role.selectOption('schema');
    await row.getByRole('button', { name: 'Change' }).click();
    await row.getByText('schema@g').waitFor();
    await role.selectOption('none');
    await row.getByRole('button', { name: 'Change' }).click();
    await row.getByText('schema@g').waitFor({ state: 'detached' });
    await row.getByRole('button', { name: 'Password' }).click();
    await row.getByLabel(`New password of ${name}`).fill('analytical engine');
    await row.getByRole('button', { name: 'Set' }).click();
    await users.getByText(`${name} has another password`).waitFor();
    await row.getByRole('button', { name: 'Make a token' }).click();
    const token = await users.locator('.token code').textContent();
    await studio.button('Log out').click();
    await studio.button('Log in').waitFor();
    await enter('', token ?? '');
    await studio.page.locator('.who').waitFor();
    expect(await studio.page.locator('.who').textContent()).toBe(name);
    await studio.go('operate');
    await studio.page.getByRole('region', { name: 'Indexes' }).waitFor();
    expect(await studio.page.getByRole('region', { name: 'Users' }).count()).toBe(0);
    await studio.button('Log out').click();
    await studio.button('Log in').waitFor();
    await enter('admin', PASSWORD);
    await studio.page.locator('.who').waitFor();
    await studio.go('operate');
    studio.page.on('dialog', (dialog) => void dialog.accept());
    await users.getByRole('button', { name: `Revoke studio of ${name}` }).click();
    await users.getByText('revoked studio').waitFor();
    await users
      .getByRole('row', { name: new RegExp(name) })
      .getByRole('button', { name: 'Remove' })
      .click();
    await users.getByText(`removed ${name}`).waitFor();
  });
});
