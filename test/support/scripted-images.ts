import type { DrawnImage, ImageModel, ImageRequest, Provider, ProviderModel } from '../../src/core/models/index.ts';
import { readPictureFile } from '../../src/core/models/providers/read-base64-picture.ts';
import { drawPng } from './draw-png.ts';

/** A picture whose file is read as those of real providers are, unless its size and format are known. */
type ScriptedImage = Pick<DrawnImage, 'bytes'> & Partial<DrawnImage>;

/** What a provider draws next; may wait and may throw. */
export type ImageScript = (
  request: ImageRequest,
  signal: AbortSignal,
) => readonly ScriptedImage[] | Promise<readonly ScriptedImage[]>;

/** One request as the provider saw it. */
export interface SeenImageRequest {
  readonly request: ImageRequest;
  /** Aborts when nobody waits for the pictures any more. */
  readonly signal: AbortSignal;
}

/** A provider of pictures that does what the test tells it to, and remembers what it was asked. */
export interface ScriptedImages {
  readonly provider: Provider & { readonly image: ImageModel };
  /** Oldest first. */
  readonly requests: readonly SeenImageRequest[];
  /** Scripts for the next requests, in their order. After them `drawUsually`. */
  readonly scripts: ImageScript[];
  /** What requests meet when no script is left. At first `drawNearest()`. */
  drawUsually: ImageScript;
  /** Resolves with the request of the given number (from 0) as soon as it has come. */
  request(number: number): Promise<SeenImageRequest>;
}

/** A provider that serves these image models and no others. */
export function createScriptedImages(name: string, models: readonly ProviderModel[]): ScriptedImages {
  const requests: SeenImageRequest[] = [];
  const waiting: { readonly number: number; readonly resolve: (request: SeenImageRequest) => void }[] = [];
  const scripted: ScriptedImages = {
    requests,
    scripts: [],
    drawUsually: drawNearest(),
    request(number) {
      const there = requests[number];
      return there ? Promise.resolve(there) : new Promise((resolve) => waiting.push({ number, resolve }));
    },
    provider: {
      name,
      chat: undefined,
      image: {
        async generate(request, signal) {
          const seen = { request, signal };
          const number = requests.push(seen) - 1;
          for (const waiter of waiting) if (waiter.number === number) waiter.resolve(seen);
          const draw = scripted.scripts.shift() ?? scripted.drawUsually;
          const images = await Promise.all((await draw(request, signal)).map((image) => toDrawn(name, image)));
          return { images, provider: name, model: request.model };
        },
      },
      acceptsAnyModel: false,
      weight: 1,
      listModels: async () => models,
      close: async () => {},
    },
  };
  return scripted;
}

async function toDrawn(provider: string, { bytes, format, width, height, ...facts }: ScriptedImage) {
  if (format && width && height) return { bytes, format, width, height, ...facts };
  return { ...(await readPictureFile(provider, bytes)), ...facts };
}

/** One picture at a time in one of three shapes, as the usual models have them: square, wide or tall. */
export function drawNearest(facts: Pick<DrawnImage, 'seed' | 'revisedPrompt'> = {}): ImageScript {
  return ({ ratio }) => {
    const wideness = ratio.width / ratio.height;
    const [width, height] = wideness > 1.2 ? [768, 512] : wideness < 0.8 ? [512, 768] : [512, 512];
    return [{ bytes: drawPng(width, height), format: 'png', width, height, ...facts }];
  };
}

/** Draws nothing until nobody waits any more. */
export function drawForever(): ImageScript {
  return (_request, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

/** Fails. */
export function drawNothing(error: Error): ImageScript {
  return () => Promise.reject(error);
}
