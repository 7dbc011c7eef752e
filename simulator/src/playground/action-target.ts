/** Returns the closest element with the attribute `data-action`, starting at the event's target. */
export function actionTarget(event: Event): HTMLElement | null {
  const target = event.target instanceof Element ? event.target.closest('[data-action]') : null;
  return target instanceof HTMLElement ? target : null;
}
