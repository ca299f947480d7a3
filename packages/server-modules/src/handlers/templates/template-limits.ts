import { TemplateError } from "./template-error.ts";

/** Limit of a page's output and of each text that a function makes, in characters. */
const maxTextLength = 32 * 1024 * 1024;
/** Maximum number of entries of a list that a function makes. A longer list fails the page. */
const maxListLength = 1_000_000;

/**
 * Checks a length before the text is made: such a text may need more memory than the process has.
 *
 * @throws TemplateError above the limit
 */
export function checkTextLength(length: number): void {
  if (length > maxTextLength) {
    throw new TemplateError(`a text of more than ${maxTextLength} characters`);
  }
}

/**
 * Checks and returns a function's result. This stops a template that doubles a text or list in a loop.
 *
 * @throws TemplateError for a text or list above the limit
 */
export function withinLimits(made: unknown): unknown {
  if (typeof made === "string") {
    checkTextLength(made.length);
  } else if (Array.isArray(made) && made.length > maxListLength) {
    throw new TemplateError(`a list of more than ${maxListLength} entries`);
  }
  return made;
}
