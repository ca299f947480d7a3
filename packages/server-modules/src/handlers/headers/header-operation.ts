import type { TokenCursor } from "serverfile/lexer/token-cursor";
import { canonicalHeader } from "serverfile/values/canonical-header";
import { childOf, type Draft, listOf, setMember } from "serverfile/values/draft";

/** The target of an operation. */
export interface ResponseOperations {
  /** Operations in config form, filled line by line. */
  readonly draft: Draft;
  /** True for response operations, which may be deferred or depend on response fields. */
  readonly isResponse: boolean;
}

/** The words of a line of `header`. */
interface HeaderWords {
  /** Name of the field, with the operator as its first character. */
  readonly field: string;
  /** Value, or the pattern to search for. */
  readonly value: string;
  /** Text that replaces matches; undefined for other operations. */
  readonly replacement: string | undefined;
}

/**
 * Adds one operation on header fields. The first character of the field selects the operation: `+` adds, `-` deletes,
 * `>` sets when the response is written, `?` sets unless the field exists. With a replacement the operation is search
 * and replace.
 * @throws ServerError CONFIG_ADAPTER for `?` on a request
 */
export function applyHeaderOperation(
  cursor: TokenCursor,
  { draft, isResponse }: ResponseOperations,
  { field, value, replacement }: HeaderWords,
): void {
  const name = field.slice(1);
  const set = (key: string) => setMember(childOf(draft, "set"), canonicalHeader(key), [value]);
  if (field.startsWith("+")) {
    listOf(childOf(draft, "add"), canonicalHeader(name)).push(value);
  } else if (field.startsWith("-")) {
    listOf(draft, "delete").push(name);
    if (isResponse) {
      draft.deferred = true;
    }
  } else if (field.startsWith("?")) {
    if (!isResponse) {
      throw cursor.error(
        `${field}: the default header modifier ('?') can only be used on response headers; for conditional manipulation of request headers, use matchers`,
      );
    }
    setMember(childOf(childOf(draft, "require"), "headers"), name, null);
    set(name);
  } else if (replacement !== undefined) {
    if (field.startsWith(">") && isResponse) {
      draft.deferred = true;
    }
    const bare = field.replace(/^[+\-?>]+/, "");
    const operation: Draft = {};
    if (value !== "") {
      operation.search_regexp = value;
    }
    if (replacement !== "") {
      operation.replace = replacement;
    }
    listOf(childOf(draft, "replace"), bare).push(operation);
  } else if (field.startsWith(">")) {
    set(name);
    if (isResponse) {
      draft.deferred = true;
    }
  } else {
    set(field);
  }
}
