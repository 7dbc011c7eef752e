import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseMarkdown as parseForConsole } from '../../../../src/console/pages/account/conversations/parse-markdown.ts';
import { renderMarkdown as renderPage } from '../../../../src/http/shared-conversations/render-markdown.ts';
import { renderMarkdown } from '../../../../src/telegram/markdown/index.ts';
import { countInputs } from '../../../support/vitest/tiers.ts';
import { toTelegramHtml } from './to-telegram-html.ts';

const FORMS = [
  '**标签：**文字',
  '**标签**：文字',
  '文字**（括号）**文字',
  '文字**“引号”**文字',
  '文字**‘引号’**文字',
  '**《书名》**是书',
  '**重要！**请看',
  '**句子。**下一句',
  '**Note:**中文',
  '中文**Note:**',
  '**ラベル：**本文',
  'これは**「引用」**です',
  '**例、**次',
  '**100%**です',
  '**요점:**한국어',
  '**스크립트(script)**라고',
  '**"인용"**은',
  '**라벨.**다음',
  '*（可选）*文字',
  '***都很长！***然后',
  '~~取消（例）~~也',
  '~~不是。~~当然',
  '𠮷**「𠮷」**𠮷',
  '**葛\u{E0100}：**異体字',
] as const;

describe('emphasis beside CJK text and punctuation', () => {
  it.each(FORMS)('is rendered, also while the text grows: %s', (markdown) => {
    const rendered = renderMarkdown(markdown);
    expect(rendered.text).toBe(markdown.replaceAll(/[*~]/g, ''));
    expect(rendered.entities).not.toEqual([]);
    for (let length = 1; length <= markdown.length; length++) {
      const { text } = renderMarkdown(markdown.slice(0, length), { isPartial: true });
      expect(text, `${length}`).not.toMatch(/[*~]/);
      expect(rendered.text.startsWith(text.replace(/\uFFFD$/, ''))).toBe(true);
    }
  });

  it.each(FORMS)('is the same on pages of shared conversations and in the console: %s', (markdown) => {
    const { markup } = renderPage(markdown, 'a');
    expect(markup).toMatch(/<(?:strong|em|del)>/);
    expect(markup).not.toMatch(/[*~]/);
    expect(JSON.stringify(parseForConsole(markdown))).not.toMatch(/[*~]/);
  });

  it.each([
    '**Warning:**text',
    'a**"b"**c',
    'x **y **z',
    '2 * 3 * 4',
    '~5 分钟~',
    'snake_case_名前_と_',
    '文字** 空 **文字',
  ])('does not change other text: %s', (markdown) => {
    expect(renderMarkdown(markdown)).toEqual({ text: markdown, entities: [] });
  });

  test('shows no markers of a growing text that the finished one does not show', () => {
    const word = fc.constantFrom(
      '文字',
      '한국',
      'かな',
      'word',
      '𠮷',
      '注：',
      '（例）',
      '“话”',
      '"q"',
      '。',
      '100%',
      'x.',
    );
    const emphasis = fc.tuple(fc.constantFrom('**', '*', '~~'), fc.array(word, { minLength: 1, maxLength: 3 }));
    const segment = fc
      .tuple(fc.constantFrom('文字', '한국', '𠮷', '注：', '（例）', '。'), emphasis)
      .map(([before, [marker, words]]) => `${before}${marker}${words.join('')}${marker}`);
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 5 }), (segments) => {
        const markdown = segments.join('');
        if (/[*~]/.test(renderMarkdown(markdown).text)) return;
        for (let length = 1; length < markdown.length; length++) {
          const { text } = renderMarkdown(markdown.slice(0, length).replace(/[\uD800-\uDBFF]$/, ''), {
            isPartial: true,
          });
          expect(text, markdown.slice(0, length)).not.toMatch(/[*~]/);
        }
      }),
      { numRuns: countInputs(1000) },
    );
  });

  test('can be told from the HTML of Telegram', () => {
    expect(toTelegramHtml(renderMarkdown('**注意：**文字和~~旧的。~~新的'))).toBe(
      '<b>注意：</b>文字和<s>旧的。</s>新的',
    );
  });
});
