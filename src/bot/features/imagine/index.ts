import { Composer } from 'grammy';
import type { Feature } from '../../kit/feature.ts';
import { actions } from './actions.ts';
import { createDrawImageTool } from './draw-image-tool.ts';
import { createImageButtons } from './image-buttons.ts';
import { continueWithPrompt, createImagineCommand } from './imagine.ts';
import { texts } from './texts.ts';

/** `/imagine`: images from text and from other images. */
export const imagine: Feature = {
  commands: [{ name: 'imagine', menus: ['private', 'group'], describe: (locale) => texts[locale].command }],
  actions,
  create: (services) => ({
    tools: (answer) =>
      services.catalogue.defaultImageModel() === undefined ? [] : [createDrawImageTool(services, answer)],
    middleware: new Composer(createImagineCommand(services), createImageButtons(services)),
    dialogs: { imagine: (ctx, text, draftId) => continueWithPrompt(services, ctx, text, draftId) },
  }),
};
