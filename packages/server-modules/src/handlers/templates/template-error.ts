/** A template that cannot be read or run. The message names the line. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
}
