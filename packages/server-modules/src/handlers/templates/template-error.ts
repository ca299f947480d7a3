/** Error of a template that cannot be parsed or executed. Most messages name the line. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
}
