export const english = {
  all: () => 'All requests:',
  groupBy: 'Group by',
  columns: { model: 'Model', provider: 'Provider', user: 'User', kind: 'Kind' },
  by: { model: 'By model', provider: 'By provider', user: 'By user', kind: 'By kind' },
  user: (id: string) => `User ${id}`,
  kinds: {
    chat: 'chat',
    image: 'images',
    embedding: 'embeddings',
    transcription: 'speech to text',
    speech: 'text to speech',
    moderation: 'moderation',
  },
};
