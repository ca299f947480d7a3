import { expect, test } from "vitest";
import { readStatements, withoutLine, writeStatements } from "./site-text.ts";

const text = `{
	debug
}
http://a {
	handle /x {
		respond y
	}
	file_server
}
`;

test("reads a text and writes it as it was", () => {
  expect(writeStatements(readStatements(text))).toBe(text);
});

test("takes away the statement of a line", () => {
  const without = (line: number) => writeStatements(withoutLine(readStatements(text), line) ?? []);
  expect(without(8)).toBe(text.replace("\tfile_server\n", ""));
  expect(without(6)).toBe(text.replace("\t\trespond y\n", ""));
  expect(without(5)).toBe(text.replace("\thandle /x {\n\t\trespond y\n\t}\n", ""));
  expect(withoutLine(readStatements(text), 99)).toBeUndefined();
});
