import * as z from "zod/mini";

const text = () => z.catch(z.optional(z.string()), undefined);

/** State of the config page in its URL; unapplied changes are stored in the tab. */
export const configAddress = z.object({
  /** Pointer to the selected value; absent for the top. */
  at: text(),
  /** The search text of the tree. */
  q: text(),
  /** Pointers that are unfolded in addition to the default ones, separated by blanks. */
  open: text(),
  /** Pointers that are folded against the default, separated by blanks. */
  shut: text(),
  /** `json`: the selected value is edited as text. `review`: the changes are shown before they are applied. */
  view: z.catch(z.optional(z.enum(["json", "review"])), undefined),
});

export type ConfigAddress = z.infer<typeof configAddress>;

/**
 * Levels that are unfolded by default: down to the servers of an app. A change alters what old links show.
 */
const usualLevels = 4;

/**
 * True when the value at a pointer is unfolded: by hand, or by default unless folded by hand. Blanks in keys are
 * written as `%20` in `open` and `shut`.
 */
export function isOpenIn({
  at = "",
  open,
  shut,
}: ConfigAddress): (pointer: string, level: number) => boolean {
  const opened = pointersOf(open);
  const closed = pointersOf(shut);
  return (pointer, level) =>
    opened.has(pointer) || (!closed.has(pointer) && (level <= usualLevels || at.startsWith(`${pointer}/`)));
}

/** The URL state after unfolding or folding a value. */
export function withFolding(address: ConfigAddress, pointer: string, unfold: boolean): ConfigAddress {
  const opened = pointersOf(address.open);
  const closed = pointersOf(address.shut);
  opened.delete(pointer);
  closed.delete(pointer);
  const level = pointer.split("/").length;
  const isUsual = level <= usualLevels || (address.at ?? "").startsWith(`${pointer}/`);
  if (unfold && !isUsual) {
    opened.add(pointer);
  }
  if (!unfold && isUsual) {
    closed.add(pointer);
  }
  return { ...address, open: listText(opened), shut: listText(closed) };
}

/** Parses `/a%20b /c` to the pointers `/a b` and `/c`. */
function pointersOf(text: string | undefined): Set<string> {
  if (text === undefined) {
    return new Set();
  }
  return new Set(text.split(" ").map((pointer) => pointer.replaceAll("%20", " ").replaceAll("%25", "%")));
}

/** Writes the form that `pointersOf` parses; undefined for none, which removes the parameter from the URL. */
function listText(pointers: ReadonlySet<string>): string | undefined {
  if (pointers.size === 0) {
    return undefined;
  }
  return [...pointers].map((pointer) => pointer.replaceAll("%", "%25").replaceAll(" ", "%20")).join(" ");
}
