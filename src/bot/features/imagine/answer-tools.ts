import type { Tool } from '../../../core/tools/index.ts';
import type { AnswerContext } from '../../framework/answer-context.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import { createDrawImageTool } from './draw-image-tool.ts';
import type { ImageJobRunner } from './image-job-runner.ts';

/**
 * Returns the tools for an answer; empty if the user has switched tools off.
 * @param replyTo the Telegram message that the answer replies to.
 */
export function listAnswerTools(
  deps: Pick<BotDeps, 'toolbox' | 'catalogue'>,
  jobs: Pick<ImageJobRunner, 'draw'>,
  context: AnswerContext,
  replyTo: number | undefined,
): readonly Tool[] {
  const { toolbox, catalogue } = deps;
  if (context.user.settings.hasTools === false) return [];
  const canDraw = toolbox.hasBuiltIn('draw_picture') && catalogue.defaultImageModel() !== undefined;
  return [
    ...toolbox.list(),
    ...(canDraw ? [toolbox.withPermission(createDrawImageTool(deps, jobs, context, replyTo))] : []),
  ];
}
