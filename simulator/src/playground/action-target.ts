/** The nearest ancestor of an event's target (or the target) that carries the attribute `data-action`. */
export function actionTarget(event: Event): HTMLElement | null {
  const target = event.target instanceof Element ? event.target.closest('[data-action]') : null;
  return target instanceof HTMLElement ? target : null;
}
