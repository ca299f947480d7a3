/** Error of a template that cannot be parsed or executed. The message names the line. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
}
