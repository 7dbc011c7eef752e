/**
 * Lets files be dropped onto an element; it carries the class `is-drop` while they hover over it.
 * @param {HTMLElement} element @param {(files: FileList) => void} onFiles
 */
export function acceptDrops(element, onFiles) {
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
