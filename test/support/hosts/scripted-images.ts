import { readImageFile } from '../../../src/core/models/hosts/read-base64-image.ts';
import type { DrawnImage, ImageModel, ImageRequest, Provider, ProviderModel } from '../../../src/core/models/index.ts';
import { drawPng } from '../samples/media.ts';

/** Image. Size and format are read from its file, like those of real providers, unless given. */
type ScriptedImage = Pick<DrawnImage, 'bytes'> & Partial<DrawnImage>;

/** Result of the next image request; may wait and may throw. */
export type ImageScript = (
  request: ImageRequest,
  signal: AbortSignal,
) => readonly ScriptedImage[] | Promise<readonly ScriptedImage[]>;

/** Request as received by the provider. */
export interface SeenImageRequest {
  readonly request: ImageRequest;
  /** Aborts when the request is cancelled. */
  readonly signal: AbortSignal;
}

/** Image provider with scripted results that records its requests. */
export interface ScriptedImages {
  readonly provider: Provider & { readonly image: ImageModel };
  /** Oldest first. */
  readonly requests: readonly SeenImageRequest[];
  /** Results of the next requests, in order. After them `drawUsually`. */
  readonly scripts: ImageScript[];
  /** Result when no script is left. Initially `drawNearest()`. */
  drawUsually: ImageScript;
  /** Resolves with the request of the given number (from 0) as soon as it has arrived. */
  request(number: number): Promise<SeenImageRequest>;
}

/** Creates a provider of only these image models. */
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
  return { ...(await readImageFile(provider, bytes)), ...facts };
}

/** Returns one image per request in one of three shapes, like common models: square, wide or tall. */
export function drawNearest(facts: Pick<DrawnImage, 'seed' | 'revisedPrompt'> = {}): ImageScript {
  return ({ ratio }) => {
    const wideness = ratio.width / ratio.height;
    const [width, height] = wideness > 1.2 ? [768, 512] : wideness < 0.8 ? [512, 768] : [512, 512];
    return [{ bytes: drawPng(width, height), format: 'png', width, height, ...facts }];
  };
}

/** Returns no image and rejects when the request is aborted. */
export function drawForever(): ImageScript {
  return (_request, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

/** Rejects with an error. */
export function drawNothing(error: Error): ImageScript {
  return () => Promise.reject(error);
}
