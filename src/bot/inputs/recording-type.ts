/** Containers that speech-to-text hosts read, by media type, with the extension by which they know them. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'audio/flac': 'flac',
  'audio/m4a': 'm4a',
  'audio/mp3': 'mp3',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/webm': 'webm',
  'audio/x-m4a': 'm4a',
  'audio/x-wav': 'wav',
  'video/mp4': 'mp4',
  'video/mpeg': 'mpeg',
  // The same container under another name.
  'video/quicktime': 'mp4',
  'video/webm': 'webm',
  'video/x-m4v': 'mp4',
};
const KNOWN_EXTENSIONS: ReadonlySet<string> = new Set([...Object.values(EXTENSIONS), 'mpga', 'oga', 'opus']);

/** Returns whether a file has a sound track that speech-to-text hosts read, judged by its type. */
export function isRecordingType(mediaType = ''): boolean {
  return Object.hasOwn(EXTENSIONS, toEssence(mediaType));
}

/** Returns the name under which a recording goes to a host, which derives the format from the extension. */
export function toRecordingName(name: string, mediaType = ''): string {
  const extension = /\.(\w{2,5})$/.exec(name)?.[1]?.toLowerCase();
  if (extension !== undefined && KNOWN_EXTENSIONS.has(extension)) return name;
  const known = EXTENSIONS[toEssence(mediaType)];
  return known === undefined ? name : `${name}.${known}`;
}

function toEssence(mediaType: string): string {
  return mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
