import { type Block, type Key, sortBlocks } from "./block.ts";

/** Writes a word in a form that a serverfile parses to the same word. */
function written({ text, isQuoted = false }: Key): string {
  const hasQuote = text.includes('"') || text.includes("\n");
  if (hasQuote && !text.includes("`")) {
    return `\`${text}\``;
  }
  const needsQuotes = hasQuote || text === "" || /\s/.test(text) || (isQuoted && /^[{}#]/.test(text));
  return needsQuotes ? `"${text.replaceAll('"', '\\"')}"` : text;
}

/** Writes one block as lines, indented by a tab for each level around it. */
function writeBlock({ keys, children }: Block, level: number, lines: string[]): void {
  const indent = "\t".repeat(level);
  const words = keys.map(written);
  if (children.length === 0) {
    lines.push(`${indent}${words.join(" ")}`);
    return;
  }
  lines.push(`${indent}${[...words, "{"].join(" ")}`);
  for (const child of children) {
    writeBlock(child, level + 1, lines);
  }
  lines.push(`${indent}}`);
}

/** Sorts the blocks, and returns their text. */
export function writeBlocks(blocks: Block[]): string {
  sortBlocks(blocks);
  const lines: string[] = [];
  for (const block of blocks) {
    writeBlock(block, 0, lines);
  }
  return lines.map((line) => `${line}\n`).join("");
}
