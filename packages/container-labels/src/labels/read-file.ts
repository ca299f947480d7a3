import { isCloseBrace, isOpenBrace, startsNewLine, type Token } from "serverfile/lexer/token";
import { tokenize } from "serverfile/lexer/tokenize";
import { type Block, newBlock } from "./block.ts";

/**
 * Parses a serverfile to blocks, so that labels can add to the sites in it. Imports and variables stay unchanged;
 * comments are dropped.
 * @param file path of the file, for messages
 * @throws ServerError CONFIG_ADAPTER for an invalid serverfile
 */
export function readFile(text: string, file: string): Block[] {
  const top: Block[] = [];
  const open: Block[][] = [top];
  let before: Token | undefined;
  let block: Block | undefined;
  for (const token of tokenize(text, file)) {
    if (before !== undefined && startsNewLine(before, token)) {
      block = undefined;
    }
    before = token;
    if (isCloseBrace(token)) {
      if (open.length === 1) {
        throw new Error(`unexpected '}', at ${file}:${token.line}`);
      }
      open.pop();
      block = undefined;
      continue;
    }
    if (block === undefined) {
      const siblings = open.at(-1) as Block[];
      block = newBlock(siblings.length);
      siblings.push(block);
    }
    if (isOpenBrace(token)) {
      open.push(block.children);
      block = undefined;
    } else {
      block.keys.push({ text: token.text, isQuoted: token.quote !== "" });
    }
  }
  return top;
}
