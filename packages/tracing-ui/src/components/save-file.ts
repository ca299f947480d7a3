/**
 * Lets the browser save a file that the page has made.
 * @param name  the file's name
 * @param type  media type, such as `application/json`
 * @param parts the content, in order
 */
export function saveFile(name: string, type: string, parts: BlobPart[]): void {
  const address = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The download starts with the next task; revoking the address immediately would abort it in some browsers.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
