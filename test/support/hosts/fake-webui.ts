import { drawPng } from '../samples/media.ts';
import { answerJson, type Behaviour, type FakeRequest, startFakeProvider } from './fake-provider.ts';

/** Model list of version 1.10: the hash is set once a model has been loaded. */
export const WEBUI_MODELS = [
  {
    title: 'sd_xl_base_1.0.safetensors [31e35c80fc]',
    model_name: 'sd_xl_base_1.0',
    hash: '31e35c80fc',
    sha256: '31e35c80fc4829d14f90153f4c74cd59c90b779f6afe05a74cd6120b893f7e5b',
    filename: '/models/Stable-diffusion/sd_xl_base_1.0.safetensors',
    config: null,
  },
  {
    title: 'anime/Anything V5 (ink).safetensors',
    model_name: 'anime_Anything V5 (ink)',
    hash: null,
    sha256: null,
    filename: '/models/Stable-diffusion/anime/Anything V5 (ink).safetensors',
    config: null,
  },
];

/** Fake Stable Diffusion WebUI on loopback, which generates one image at a time in the requested size. */
export type FakeWebUi = Awaited<ReturnType<typeof startFakeWebUi>>;

/** Starts the server; an image takes `drawMs`. The caller closes it. */
export async function startFakeWebUi(options: { readonly drawMs?: number } = {}) {
  const host = await startFakeProvider();
  const queue: Behaviour[] = [];
  let models: Behaviour = answerJson(200, WEBUI_MODELS);
  let interrupt: Behaviour = answerJson(200, {});
  const at = (path: string) => host.requests.filter(({ url }) => url === `/sdapi/v1/${path}`);
  const orders = () => host.requests.filter(({ url }) => /^\/sdapi\/v1\/(txt|img)2img$/.test(url));
  host.behaveElsewhere(async (exchange) => {
    const path = exchange.request.url.replace('/sdapi/v1/', '');
    if (path === 'sd-models') return models(exchange);
    if (path === 'interrupt') return interrupt(exchange);
    if (!/^(txt|img)2img$/.test(path)) return answerJson(404, { detail: 'Not Found' })(exchange);
    const behaviour = queue.shift();
    if (behaviour) return behaviour(exchange);
    await exchange.wait(options.drawMs ?? 0);
    return answerJson(200, webUiAnswer(exchange.request))(exchange);
  });
  return {
    /** `http://127.0.0.1:<port>` */
    url: new URL(host.baseUrl).origin,
    host,
    /** Returns the generation requests, oldest first. */
    orders,
    interrupts: () => at('interrupt'),
    /** Queues behaviours for the next generation requests; after them it generates images again. */
    behave: (...behaviours: readonly Behaviour[]) => void queue.push(...behaviours),
    /** Sets the behaviour for `GET /sdapi/v1/sd-models`. */
    behaveAtModels: (behaviour: Behaviour) => {
      models = behaviour;
    },
    /** Sets the behaviour for `POST /sdapi/v1/interrupt`. */
    behaveAtInterrupt: (behaviour: Behaviour) => {
      interrupt = behaviour;
    },
    /** Resolves with the generation request of the given number (from 0) as soon as it has arrived. */
    async order(number: number) {
      for (;;) {
        const there = orders()[number];
        if (there) return there;
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    },
    close: () => host.close(),
  };
}

/** Returns `{images, parameters, info}` as version 1.10 does: `info` is JSON in a string. */
export function webUiAnswer({ body }: Pick<FakeRequest, 'body'>, fields: Record<string, unknown> = {}) {
  const count = Number(body.batch_size);
  const file = drawPng(Number(body.width), Number(body.height)).toString('base64');
  const seeds = Array.from({ length: count }, (_, index) => Number(body.seed) + index);
  const info = {
    prompt: body.prompt,
    all_prompts: seeds.map(() => body.prompt),
    negative_prompt: '',
    seed: body.seed,
    all_seeds: seeds,
    width: body.width,
    height: body.height,
    sampler_name: 'DPM++ 2M',
    cfg_scale: body.cfg_scale,
    steps: body.steps,
    batch_size: count,
    sd_model_name: 'sd_xl_base_1.0',
    sd_model_hash: '31e35c80fc',
    index_of_first_image: 0,
    job_timestamp: '20261121150000',
    is_using_inpainting_conditioning: false,
  };
  return { images: seeds.map(() => file), parameters: {}, info: JSON.stringify({ ...info, ...fields }) };
}
