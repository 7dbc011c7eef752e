import type { IncomingHttpHeaders } from 'node:http';

/** Programs that fetch a link to show a preview of it or to index it. Signal, iMessage and LINE use names of others. */
const PREVIEWERS = [
  ...['TelegramBot', 'WhatsApp', 'Discordbot', 'Slackbot', 'Slackbot-LinkExpanding', 'Slack-ImgProxy'],
  ...['SkypeUriPreview', 'MicrosoftPreview', 'facebookexternalhit', 'facebookcatalog', 'Facebot'],
  ...['meta-externalagent', 'meta-externalfetcher', 'Twitterbot', 'LinkedInBot', 'vkShare', 'OdklBot', 'redditbot'],
  ...['Pinterestbot', 'Cardyb', 'Mastodon', 'Misskey', 'Pleroma', 'Akkoma', 'Synapse', 'Mattermost', 'mattermost-bot'],
  ...['RocketChat', 'Rocket\\.Chat', 'ZulipURLPreview', 'LineBot', 'kakaotalk-scrap', 'Snap URL Preview Service'],
  ...['Google-PageRenderer', 'Embedly', 'Iframely', 'ZoomBot', 'Viber', 'Barcelona', 'SafeLinks'],
  ...['Googlebot', 'GoogleOther', 'Google-InspectionTool', 'bingbot', 'YandexBot', 'Applebot', 'Baiduspider'],
  ...['DuckDuckBot', 'AhrefsBot', 'Bytespider', 'GPTBot', 'OAI-SearchBot', 'ClaudeBot', 'PerplexityBot'],
];
const PREVIEWER = new RegExp(`(?<![a-z0-9])(?:${PREVIEWERS.join('|')})(?![a-z0-9])`, 'i');
const MAX_LENGTH = 1000;

/** Returns true if a chat app or social network fetches the link to show a preview of it. */
export function isLinkPreview(headers: IncomingHttpHeaders): boolean {
  return PREVIEWER.test((headers['user-agent'] ?? '').slice(0, MAX_LENGTH));
}

/** Returns true if a browser or mail program fetches the link before a user opens it. */
export function isPrefetch(headers: IncomingHttpHeaders): boolean {
  return [headers['purpose'], headers['sec-purpose'], headers['x-purpose'], headers['x-moz']].some((purpose) =>
    /prefetch|preview|prerender/i.test(String(purpose ?? '')),
  );
}
