/** The project's mark as an SVG image: a patch cord that connects two sockets of a switchboard. */
export const MARK =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#1468b8"/>' +
  '<path d="M22 9.5h-7.5a3.25 3.25 0 0 0 0 6.5h3a3.25 3.25 0 0 1 0 6.5H10" fill="none" stroke="#fff" stroke-width="2.5"/>' +
  '<circle cx="22.5" cy="9.5" r="3" fill="#fff"/><circle cx="9.5" cy="22.5" r="3" fill="#fff"/></svg>';

/** Address of the mark, for icons and images of pages: it needs no request. */
export const MARK_URL = `data:image/svg+xml,${encodeURIComponent(MARK)}`;
