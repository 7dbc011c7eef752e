import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findChromium, launchBrowser } from '../support/clients/browser.ts';
import { format, openPlayground, type PlaygroundPage } from '../support/clients/playground-page.ts';
import { startBeforeAll, testByTier } from '../support/vitest/tiers.ts';

describe.skipIf(findChromium() === undefined)('formatting on the playground page', () => {
  let playground: PlaygroundPage;

  const browser = startBeforeAll(() => launchBrowser());
  beforeEach(async () => {
    playground = await openPlayground(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
  });
  afterEach(async () => {
    const { problems } = playground;
    await playground.close();
    expect(problems).toEqual([]);
  });

  test('counts offsets in UTF-16 units and nests entities', async () => {
    const { page, say } = playground;
    const styles = [
      ['bold', 3, 15],
      ['italic', 8, 10],
      ['strikethrough', 13, 5],
      ['underline', 19, 5],
    ] as const;
    const entities = styles.map(([type, offset, length]) => ({ type, offset, length }));
    await say({ text: '😀 bold both three under', entities });
    const text = page.locator('.text');
    expect(await text.locator('strong').textContent()).toBe('bold both three');
    expect(await text.locator('strong em').textContent()).toBe('both three');
    expect(await text.locator('strong em s').textContent()).toBe('three');
    expect(await text.locator('u').textContent()).toBe('under');
  });

  test('splits overlapping entities so that each part has all its styles', async () => {
    const { page, say } = playground;
    await say({
      text: 'abcdefghij',
      entities: [
        { type: 'bold', offset: 0, length: 6 },
        { type: 'italic', offset: 3, length: 6 },
        { type: 'blockquote', offset: 0, length: 7 },
        { type: 'underline', offset: 8, length: 2 },
      ],
    });
    const html = await page.locator('.text').innerHTML();
    expect(html).toBe('<blockquote><strong>abc<em>def</em></strong><em>g</em></blockquote><em>h<u>i</u></em><u>j</u>');
  });

  test('escapes HTML in text', async () => {
    const { page, say } = playground;
    const attack = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    await say(attack);
    expect(await page.locator('article .text').textContent()).toBe(attack);
    expect(await page.locator('article img').count()).toBe(0);
    expect(await page.title()).not.toMatch(/^\d$/);
  });

  test('opens links in a new tab without an opener', async () => {
    const { page, say } = playground;
    await say(
      format(['text_link', 'read', { url: 'https://example.org/doc' }], ' or write to ', ['email', 'me@example.org']),
    );
    const link = page.getByRole('link', { name: 'read', exact: true });
    expect(await link.getAttribute('href')).toBe('https://example.org/doc');
    expect(await link.getAttribute('target')).toBe('_blank');
    expect(await link.getAttribute('rel')).toContain('noopener');
    const mail = page.getByRole('link', { name: 'me@example.org', exact: true });
    expect(await mail.getAttribute('href')).toBe('mailto:me@example.org');
  });

  test('reveals spoilers by mouse and keyboard, and keeps them revealed during edits', async () => {
    const { page, simulator, chat, say } = playground;
    const sent = await say(format('It was ', ['spoiler', 'the butler']));
    const cover = page.getByRole('button', { name: 'Hidden text, reveal' });
    await cover.focus();
    await page.keyboard.press('Enter');
    await page.locator('.spoiler.is-revealed', { hasText: 'the butler' }).waitFor();

    const edited = format('It was ', ['spoiler', 'the butler'], ' again');
    await simulator.succeed('editMessageText', { chat_id: chat.id, message_id: sent.message_id, ...edited });
    await page.locator('article', { hasText: 'again' }).waitFor();
    expect(await page.locator('.spoiler.is-revealed').count()).toBe(1);
  });

  test('labels code with its language and copies it', async () => {
    const { page, say } = playground;
    const code = ['pre', 'print(1)\nprint(2)', { language: 'python' }] as const;
    await say(format('Run ', ['code', 'npm start'], ':\n', code));
    expect(await page.locator('.code-block figcaption').textContent()).toBe('python');
    await page.getByRole('button', { name: 'Copy code' }).click();
    await page.locator('.toast', { hasText: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('print(1)\nprint(2)');

    await page.getByRole('button', { name: 'npm start' }).press('Enter');
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('npm start');
  });

  test('folds long quotes until they are expanded', async () => {
    const { page, say } = playground;
    const lines = Array.from({ length: 12 }, (_, line) => `Line ${line + 1}`).join('\n');
    await say(format(['expandable_blockquote', lines]));
    const quote = page.locator('.quote-text');
    const height = () => quote.evaluate((element) => element.clientHeight);
    const folded = await height();
    await page.getByRole('button', { name: 'Expand quote' }).click();
    await page.getByRole('button', { name: 'Collapse quote' }).waitFor();
    expect(await height()).toBeGreaterThan(folded * 2);
  });

  test('sends a command that is clicked in a text', async () => {
    const { page, say } = playground;
    await say('Try /model now');
    await page.getByRole('button', { name: '/model' }).click();
    await page.locator('.message.is-own', { hasText: '/model' }).waitFor();
  });

  test('renders rich messages: headings, tables, lists, formulas, details', async () => {
    const { page, simulator, chat } = playground;
    const cell = (text: string, isHeader = false) => ({
      text,
      align: 'right',
      valign: 'middle',
      ...(isHeader && { is_header: true }),
    });
    const paragraph = (text: string) => ({ type: 'paragraph', text });
    const blocks = [
      { type: 'heading', size: 2, text: 'Results' },
      {
        type: 'paragraph',
        text: [
          'Given ',
          { type: 'bold', text: 'this' },
          ' and ',
          { type: 'mathematical_expression', expression: 'x^2' },
        ],
      },
      {
        type: 'table',
        cells: [
          [cell('Name', true), cell('Size', true)],
          [cell('a'), cell('1')],
          [cell('b'), cell('2')],
        ],
      },
      { type: 'mathematical_expression', expression: '\\frac{1}{2} + \\sqrt{\\alpha}' },
      {
        type: 'list',
        items: [
          { blocks: [paragraph('done')], has_checkbox: true, is_checked: true },
          { blocks: [paragraph('open')], has_checkbox: true },
        ],
      },
      { type: 'details', summary: 'More', blocks: [paragraph('Inside')] },
    ];
    await simulator.succeed('sendRichMessage', { chat_id: chat.id, rich_message: { blocks } });
    await page.getByRole('heading', { name: 'Results' }).waitFor();
    expect(await page.getByRole('columnheader').allTextContents()).toEqual(['Name', 'Size']);
    expect(await page.getByRole('cell').allTextContents()).toEqual(['a', '1', 'b', '2']);
    expect(await page.locator('math').count()).toBe(2);
    expect(await page.locator('math mfrac').count()).toBe(1);
    expect(await page.getByRole('img', { name: 'done', exact: true }).count()).toBe(1);
    expect(await page.getByText('Inside', { exact: true }).isVisible()).toBe(false);
    await page.getByText('More', { exact: true }).click();
    expect(await page.getByText('Inside', { exact: true }).isVisible()).toBe(true);
  });

  testByTier(
    [
      ['a matrix', '\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}', 'mtd'],
      ['a letter of another alphabet', '\\mathbb{R}', 'mi:text-is("ℝ")'],
      ['an unknown command', '\\unknown + 1', 'mtext'],
      ['a box with its own style', '\\fcolorbox{red}{blue}{x}', 'mpadded'],
      ['the text of a link that is not followed', '\\href{javascript:alert(1)}{x}', 'mtext'],
    ] as const,
    2,
  )('renders %s', async ([_name, expression, element]) => {
    const { page, simulator, chat } = playground;
    const blocks = [{ type: 'mathematical_expression', expression }];
    await simulator.succeed('sendRichMessage', { chat_id: chat.id, rich_message: { blocks } });
    await page.locator(`math ${element}`).first().waitFor();
    expect(await page.locator('.formula').getAttribute('title')).toBe(expression);
    expect(await page.locator('.rich a').count()).toBe(0);
  });

  test('draws the sign of a root', async () => {
    const { page, simulator, chat } = playground;
    const blocks = [{ type: 'mathematical_expression', expression: '= \\sqrt{\\pi}' }];
    await simulator.succeed('sendRichMessage', { chat_id: chat.id, rich_message: { blocks } });
    await page.locator('math msqrt').waitFor();
    const widthOf = async (element: string) => (await page.locator(element).boundingBox())?.width ?? 0;
    expect(await widthOf('math msqrt')).toBeGreaterThan((await widthOf('math msqrt mi')) + 3);
  });

  testByTier([
    ['unfinished', '\\frac{1}{'],
    ['too long', 'x+'.repeat(2000)],
    ['endless', '\\def\\a{\\a\\a}\\a'],
  ] as const)('shows the source of a formula that is %s', async ([_name, expression]) => {
    const { page, simulator, chat } = playground;
    const blocks = [{ type: 'mathematical_expression', expression }];
    await simulator.succeed('sendRichMessage', { chat_id: chat.id, rich_message: { blocks } });
    expect(await page.locator('.formula-source').textContent()).toBe(expression);
  });
});
