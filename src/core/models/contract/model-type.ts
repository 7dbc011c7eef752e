/** Types of models. Each is served at addresses of its own. */
export const MODEL_TYPES = ['chat', 'image', 'embedding', 'speech', 'transcription', 'moderation', 'rerank'] as const;

/**
 * Kind of work of a model: `chat` answers messages, `image` creates images, `embedding` turns texts into vectors, `speech`
 * reads texts aloud, `transcription` writes down recordings, `moderation` classifies harmful content, `rerank`
 * orders documents by their relevance to a query.
 */
export type ModelType = (typeof MODEL_TYPES)[number];
