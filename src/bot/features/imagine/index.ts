import { Composer } from 'grammy';
import { defineFeature } from '../../framework/feature.ts';
import type { AlbumFate, AlbumMemory } from '../../inputs/album-memory.ts';
import { actions } from './actions.ts';
import { createDrawImageTool } from './draw-image-tool.ts';
import { createImageButtons } from './image-buttons.ts';
import { continueWithPrompt, createImagineCommand } from './imagine.ts';
import type { ImagineServices } from './start-image-job.ts';
import { texts } from './texts/index.ts';

/** `/imagine`: images from text and from other images. */
export const imagine = defineFeature({
  commands: [{ name: 'imagine', menus: ['private', 'group'], describe: (locale) => texts[locale].command }],
  actions,
  create: (services: ImagineServices & { readonly albums: AlbumMemory<AlbumFate> }) => ({
    tools: (answer) =>
      services.catalogue.defaultImageModel() === undefined
        ? []
        : [createDrawImageTool(services, services.jobs, answer)],
    middleware: new Composer(createImagineCommand(services, services.albums), createImageButtons(services)),
    dialogs: { imagine: (ctx, text, draftId) => continueWithPrompt(services, ctx, text, draftId) },
  }),
});
