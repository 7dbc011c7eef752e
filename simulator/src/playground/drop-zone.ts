/** Accepts files dropped on an element, which has the class `is-drop` while they hover over it. */
export function acceptDrops(element: HTMLElement, onFiles: (files: FileList) => void) {
  element.addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    element.classList.add('is-drop');
  });
  element.addEventListener('dragleave', () => element.classList.remove('is-drop'));
  element.addEventListener('drop', (event) => {
    element.classList.remove('is-drop');
    const files = event.dataTransfer?.files;
    if (!files?.length) return;
    event.preventDefault();
    onFiles(files);
  });
}
