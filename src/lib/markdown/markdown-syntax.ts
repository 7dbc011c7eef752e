import { cjkFriendlyExtension } from 'micromark-extension-cjk-friendly';
import { gfmStrikethroughCjkFriendly } from 'micromark-extension-cjk-friendly-gfm-strikethrough';
import { gfm } from 'micromark-extension-gfm';

const STRIKETHROUGH = { singleTilde: false };

/**
 * Syntax of the models' Markdown. A single `~` is not strikethrough, because users write `~5 minutes`. Emphasis may end
 * between Chinese, Japanese or Korean text and punctuation, as in `**标签：**文字`.
 */
export const MARKDOWN_SYNTAX = [gfm(STRIKETHROUGH), cjkFriendlyExtension(), gfmStrikethroughCjkFriendly(STRIKETHROUGH)];
