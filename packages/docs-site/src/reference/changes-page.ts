/** A note of `changelog.d/`. */
export interface ChangeNote {
  /** Name of the file: `<slug>.<kind>.md`. */
  readonly file: string;
  /** A sentence or a few, in Markdown. */
  readonly text: string;
}

/** Kinds of notes, the most important for an update first. */
const kinds = { breaking: "Breaking", feature: "New", fix: "Mended" } as const;

/**
 * A page with the changes of a version, made of its notes.
 *
 * ```
 * limit.fix.md "The gate frees its place."   →   # Changes in 1.2.0
 *                                                ## Mended
 *                                                - The gate frees its place.
 * ```
 *
 * @throws Error for a note of an unknown kind, or without text
 */
export function changesPage(version: string, notes: readonly ChangeNote[]): string {
  const items = new Map<string, string[]>(Object.keys(kinds).map((kind) => [kind, []]));
  for (const { file, text } of notes.toSorted((a, b) => (a.file < b.file ? -1 : 1))) {
    const ofKind = items.get(/\.([a-z]+)\.md$/.exec(file)?.[1] ?? "");
    if (ofKind === undefined) {
      throw new Error(`changelog.d/${file}: its name does not end in one of ${Object.keys(kinds)} and .md`);
    }
    const sentence = text.trim().replace(/\s*\n\s*/g, " ");
    if (sentence === "") {
      throw new Error(`changelog.d/${file} is empty`);
    }
    ofKind.push(`- ${sentence}`);
  }
  const sections = Object.entries(kinds).flatMap(([kind, title]) => {
    const list = items.get(kind) ?? [];
    return list.length === 0 ? [] : [`## ${title}`, list.join("\n")];
  });
  return `${[`# Changes in ${version}`, ...sections].join("\n\n")}\n`;
}
