import { ASPECT_RATIOS } from '../../../core/images/index.ts';
import { ToolError } from '../../../core/tools/index.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { Answer } from '../../answers/answer.ts';
import type { FeatureTool } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import { drawInBackground } from './image-jobs.ts';
import { chooseModel } from './image-models.ts';
import { type ImagineOptions, MAX_PROMPT } from './parse-imagine.ts';
import { texts } from './texts.ts';

/** Each may cost money. */
const MAX_CALLS = 4;
/** Maximum number of images per request. */
const MAX_COUNT = 4;

/**
 * Creates the tool that lets a model generate images for the user, in the user's chat. The requests use the user's
 * image model, the same queue and the same limits as others, and their images are sent separately.
 */
export function createDrawImageTool(
  services: BotServices,
  { context, replyTo }: Pick<Answer, 'context' | 'replyTo'>,
): FeatureTool {
  return {
    name: 'draw_picture',
    description:
      'Creates images from a description and sends them to the chat as photos, by itself. Use it whenever the user asks for a ' +
      'picture, drawing, photo or image. Afterwards only say in a few words that it is coming; do not describe or link it.',
    parameters: {
      type: 'object',
      properties: {
        prompt: { type: 'string', description: 'Description of the image, in detail, preferably in English' },
        ratio: { type: 'string', enum: ASPECT_RATIOS, description: 'Width to height. Default 1:1' },
        count: { type: 'integer', minimum: 1, maximum: MAX_COUNT, description: 'How many variants. Default 1' },
      },
      required: ['prompt'],
    },
    activity: 'drawing',
    maxCalls: MAX_CALLS,
    // A description goes to the provider, and an image counts in quotas.
    permission: 'after-foreign-text',
    toQuestion: (parameters) => {
      const { details, ...question } = texts[context.texts.locale].permission;
      const { prompt, ...options } = readParameters(parameters);
      return { ...question, details: [prompt, details(options.count ?? 1, options.ratio)] };
    },
    async run(parameters) {
      const options = readParameters(parameters);
      if (options.prompt === '') throw new ToolError('the prompt is missing');
      if (options.prompt.length > MAX_PROMPT) throw new ToolError(`the prompt is longer than ${MAX_PROMPT} characters`);
      if (replyTo !== undefined) options.replyTo = replyTo;
      const chosen = chooseModel(services.catalogue, context.user, options);
      if ('problem' in chosen) throw new ToolError('no image model is available');
      const outcome = await drawInBackground(services, {
        userId: context.user.id,
        chatTopic: context.chatTopic,
        texts: context.texts,
        typingTopicId: context.typingTopicId,
        options: { ...options, model: chosen.model },
        statusMessageId: undefined,
      });
      if (outcome !== 'started')
        throw new ToolError('too many images are already in progress; the user may ask again later');
      return 'The image is being created and will arrive in the chat by itself.';
    },
  };
}

function readParameters({ prompt, ratio, count }: JsonObject): ImagineOptions {
  const options: ImagineOptions = { prompt: typeof prompt === 'string' ? prompt.trim() : '' };
  if (typeof ratio === 'string' && ASPECT_RATIOS.some((supported) => supported === ratio)) options.ratio = ratio;
  if (typeof count === 'number') options.count = Math.min(MAX_COUNT, Math.max(1, Math.round(count)));
  return options;
}
