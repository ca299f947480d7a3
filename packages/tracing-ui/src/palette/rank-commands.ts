import type { Command, CommandGroup } from "./command.ts";

/** Maximum number of commands shown in a group. A longer text finds the others. */
const mostOfGroup = 8;

/**
 * The commands that match a text. Each word of the text must begin a word of the title or the note, or occur
 * inside one. Commands with matching beginnings come first, and groups are ordered by their best command.
 * @param text text as typed; a blank text gives all groups in order, cut to their first commands
 */
export function rankCommands(groups: readonly CommandGroup[], text: string): readonly CommandGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const ranked = groups.map(({ title, commands }) => {
    const found = commands
      .map((command, index) => ({ command, index, cost: costOf(command, words) }))
      .filter(({ cost }) => cost < Number.POSITIVE_INFINITY)
      .sort((a, b) => a.cost - b.cost || a.index - b.index)
      .slice(0, mostOfGroup);
    return { title, best: found[0]?.cost, commands: found.map(({ command }) => command) };
  });
  return ranked
    .filter(({ commands }) => commands.length > 0)
    .sort((a, b) => (a.best ?? 0) - (b.best ?? 0))
    .map(({ title, commands }) => ({ title, commands }));
}

/**
 * Cost of a match: 0 for a title that begins with the text. A word at the beginning of a word
 * of the title costs 1, of the note 3; inside a word the costs are 4 and 6. Infinite when a word is missing.
 */
function costOf({ title, note = "" }: Command, words: readonly string[]): number {
  const own = title.toLowerCase();
  const all = `${own} ${note.toLowerCase()}`;
  let cost = 0;
  for (const [index, word] of words.entries()) {
    const at = all.indexOf(word);
    if (at === -1) {
      return Number.POSITIVE_INFINITY;
    }
    const begins = beginsWord(all, word);
    if (index === 0 && at === 0) {
      continue;
    }
    if (begins !== -1) {
      cost += begins < own.length ? 1 : 3;
    } else {
      cost += at < own.length ? 4 : 6;
    }
  }
  return cost;
}

/** Index at which `word` begins a word of the text; −1 for none. */
function beginsWord(text: string, word: string): number {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) {
      return at;
    }
  }
  return -1;
}
