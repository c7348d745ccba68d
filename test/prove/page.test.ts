import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshHome } from '../support/cordon.ts';
import { SELF } from '../support/users.ts';
import { only, prove } from './support.ts';

const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];
const HOSTILE = `env X='"><script>document.title="taken"</script><img src=x onerror=alert(1)>'`;
const PHONE = { width: 360, height: 740 };

let browser: Browser;
let address: string;
let file: string;

beforeAll(async () => {
  const user = SELF;
  const home = freshHome(user);
  const few = only('processes', 'network', 'environment', 'planting/direnv');
  const { code, stderr } = prove(['--html', 'proof.html', '--under', 'env -i', '--under', HOSTILE, ...few], {
    user,
    home,
  });
  if (code !== 0) throw new Error(`no page (${code}): ${stderr}`);
  file = join(home, 'proof.html');
  address = pathToFileURL(file).href;
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });
});

afterAll(() => browser?.close());

/** The page, what it asked for beside itself, and what it complained about. */
async function opened(options: BrowserContextOptions = {}): Promise<{ page: Page; asked: string[]; said: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const [asked, said]: [string[], string[]] = [[], []];
  page.on('request', (request) => void (request.url() === address || asked.push(request.url())));
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(error.message));
  page.on('dialog', (dialog) => said.push(dialog.message()));
  await page.goto(address);
  return { page, asked, said };
}

const shown = (page: Page) => page.locator('tr.probe:visible').count();
const overflow = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

describe('the page of cordon prove', () => {
  it('asks nobody for anything, and takes names for names', async () => {
    const { page, asked, said } = await opened();
    expect([asked, said, await page.title()]).toEqual([[], [], 'cordon prove: what leaks']);
    expect(await page.locator('.card h2').allTextContents()).toEqual(['nothing', 'cordon', 'env -i', HOSTILE]);
    expect(await page.locator('img').count()).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain(`content="default-src &#39;none&#39;;`);
  });

  it('its rules stop what is not its own', async () => {
    const { page, asked, said } = await opened();
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<img src="http://192.0.2.1/x">')`);
    await page.evaluate(
      `document.head.append(Object.assign(document.createElement('script'), { text: 'document.title = "taken"' }))`,
    );
    expect(await page.title()).toBe('cordon prove: what leaks');
    expect(said.filter((text) => text.includes('Content Security Policy'))).toHaveLength(2);
    expect(asked.filter((url) => !url.startsWith('http://192.0.2.1/'))).toEqual([]);
  });

  it('filters by group, result and launcher, and searches', async () => {
    const { page, said } = await opened();
    const all = await shown(page);
    expect(await page.locator('#count').textContent()).toBe(`${all} of ${all} probes`);
    await page.selectOption('#group', 'network');
    const network = await shown(page);
    expect(network).toBeGreaterThan(2);
    expect(network).toBeLessThan(all);
    expect(await page.locator('tbody:visible').count()).toBe(1);
    await page.selectOption('#launcher', '1');
    await page.selectOption('#status', 'open');
    expect(await page.locator('thead th:visible').allTextContents()).toEqual(['Probe', 'cordon']);
    const statuses = page.locator('tr.probe:visible td:visible');
    expect(await statuses.count()).toBe(await shown(page));
    for (const cell of await statuses.all()) expect(await cell.getAttribute('data-status')).toBe('open');
    await page.click('button[type=reset]');
    await page.fill('#words', 'CALLING Environ-Of-Parent');
    await expect.poll(() => shown(page)).toBe(1);
    expect(await page.locator('tr.probe:visible .id').textContent()).toBe('processes/environ-of-parent');
    await page.fill('#words', 'zzzz');
    expect(await page.locator('#none').isVisible()).toBe(true);
    await page.click('button[type=reset]');
    await expect.poll(() => shown(page)).toBe(all);
    expect(said).toEqual([]);
  });

  it('opens the details of a probe', async () => {
    const { page } = await opened();
    const probe = page.locator('tr.probe').first();
    expect(await probe.getByText('Planted', { exact: true }).isVisible()).toBe(false);
    await probe.locator('summary').press('Enter');
    expect(await probe.getByText('Planted', { exact: true }).isVisible()).toBe(true);
  });

  it('is a table for whoever does not see it, on a phone too', async () => {
    for (const viewport of [{ width: 1280, height: 900 }, PHONE]) {
      const { page } = await opened({ viewport });
      const row = page.getByRole('row').filter({ hasText: 'processes/environ-of-parent' });
      expect(await page.getByRole('table').count()).toBe(1);
      expect(await row.getByRole('rowheader').count()).toBe(1);
      expect(await row.getByRole('cell').allTextContents()).toEqual([
        expect.stringMatching(/leaked$/),
        expect.stringMatching(/blocked$/),
        expect.stringMatching(/leaked$/),
        expect.stringMatching(/leaked$/),
      ]);
    }
  });

  it.each([320, 360, 768, 1280])('does not have to be pushed sideways at %i pixels', async (width) => {
    const { page } = await opened({ viewport: { width, height: 740 } });
    for (const summary of (await page.locator('tr.probe summary').all()).slice(0, 5)) await summary.click();
    expect(await overflow(page)).toBe(0);
  });

  it('shows each launcher by name on a phone', async () => {
    const { page } = await opened({ viewport: PHONE });
    const labels = page.locator('tr.probe').first().locator('.label');
    expect(await labels.allTextContents()).toEqual(['nothing', 'cordon', 'env -i', HOSTILE]);
    expect(await labels.first().isVisible()).toBe(true);
  });

  it('is all there without scripts', async () => {
    const { page } = await opened({ javaScriptEnabled: false });
    expect(await page.locator('#filters').isVisible()).toBe(false);
    expect(await shown(page)).toBe(await page.locator('tr.probe').count());
    await page.locator('tr.probe summary').first().click();
    expect(await page.locator('tr.probe dl').first().isVisible()).toBe(true);
  });

  it('prints without its filters, dark or not, with everything opened', async () => {
    const { page } = await opened({ colorScheme: 'dark' });
    const paper = await page.pdf({ format: 'A4' });
    expect(paper.subarray(0, 5).toString()).toBe('%PDF-');
    const pages = (paper.toString('latin1').match(/\/Type \/Page\b/g) ?? []).length;
    expect(pages).toBeGreaterThan(3);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('#filters').isVisible()).toBe(false);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
  });

  it.each([
    ['light', { width: 1280, height: 900 }],
    ['dark', PHONE],
  ] as const)('has a picture in %s that is not empty', async (colorScheme, viewport) => {
    const { page } = await opened({ colorScheme, viewport });
    const path = join(mkdtempSync(join(tmpdir(), 'cordon-page-')), `${colorScheme}.png`);
    await page.screenshot({ path });
    expect(statSync(path).size).toBeGreaterThan(20_000);
    const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(ground).toBe(colorScheme === 'light' ? 'rgb(246, 247, 249)' : 'rgb(14, 17, 22)');
  });
});
