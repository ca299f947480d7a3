import { DavError } from "./dav-error.ts";

/** One condition of a list. */
export interface IfCondition {
  /** True when the condition is negated. */
  readonly isNot: boolean;
  /** The token of a lock; undefined for an entity tag. */
  readonly token: string | undefined;
  /** Entity tag with its quotes; undefined for a lock token. */
  readonly etag: string | undefined;
}

/** Conditions that must all hold. */
export interface IfList {
  /** URL of the tagged resource; undefined means the requested resource. */
  readonly tag: string | undefined;
  /** Conditions that must all hold. */
  readonly conditions: readonly IfCondition[];
}

/** Maximum number of conditions in one field, because each condition may read a file's metadata. */
const maxConditions = 100;

/** Matches a token of the field: a parenthesis, `<token or URL>`, `["tag"]`, or `Not`. */
const part = /[ \t]*(?:(\()|(\))|<([^<>\s]*)>|\[((?:W\/)?"[^"\]]*")\]|(Not)(?=[ \t<[]))/gy;

function invalid(reason: string): DavError {
  return new DavError(400, `invalid If: ${reason}`);
}

/**
 * Parses the field `If`. @throws DavError 400. `</a> (<opaquelocktoken:1> ["x"]) (Not <DAV:no-lock>)` has two lists for
 * `/a`: the first requires a lock and a tag, the second requires that a lock is absent. Source: RFC 4918, section
 * 10.4.2
 */
export function parseIf(text: string): IfList[] {
  const lists: IfList[] = [];
  let tag: string | undefined;
  let open: IfCondition[] | undefined;
  let isNot = false;
  let count = 0;
  let end = 0;
  for (const [whole, opens, closes, angle, etag, not] of text.matchAll(part)) {
    end += whole.length;
    if (opens !== undefined && open === undefined) {
      open = [];
    } else if (closes !== undefined && open !== undefined && open.length > 0 && !isNot) {
      lists.push({ tag, conditions: open });
      open = undefined;
    } else if (not !== undefined && open !== undefined && !isNot) {
      isNot = true;
    } else if (open !== undefined && (angle || etag)) {
      open.push({ isNot, token: angle, etag });
      isNot = false;
      count++;
    } else if (open === undefined && angle && (tag !== undefined || lists.length === 0)) {
      tag = angle;
    } else {
      throw invalid(`'${whole.trim()}' in the wrong place`);
    }
    if (count > maxConditions) {
      throw invalid(`more conditions than the limit of ${maxConditions}`);
    }
  }
  if (open !== undefined || lists.length === 0 || text.slice(end).trim() !== "") {
    throw invalid("no list of conditions");
  }
  return lists;
}
