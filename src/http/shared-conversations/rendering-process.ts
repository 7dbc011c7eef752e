import { answerParent } from '../../lib/process/answer-parent.ts';
import { html } from '../pages/html.ts';
import type { RenderingTask } from './render-answers.ts';
import { renderMarkdown } from './render-markdown.ts';

/** Renders the answers in order. Answers that would exceed the page size become plain text. */
function renderAll({ answers, maxBytes }: RenderingTask): readonly string[] {
  let sizeBytes = 0;
  return answers.map(({ scope, markdown }) => {
    const { markup } = renderMarkdown(markdown, scope);
    sizeBytes += Buffer.byteLength(markup);
    return sizeBytes <= maxBytes ? markup : html`<p class="plain">${markdown}</p>`.markup;
  });
}

// Sent by `renderAnswers`.
await answerParent(async (task) => renderAll(task as RenderingTask));
