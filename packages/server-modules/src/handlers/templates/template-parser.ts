import { TemplateError } from "./template-error.ts";
import { TemplateLexer, type Token } from "./template-lexer.ts";
import type { Block, Command, Operand, ParsedTemplate, Pipeline, TemplateNode } from "./template-nodes.ts";

/** Largest nesting of blocks and parentheses. A deeper template is a syntax error, because the parser is recursive. */
const maxDepth = 100;

/** Words that are constants. */
const constants: Readonly<Record<string, boolean | null>> = { true: true, false: false, nil: null };

/** A number as Go's source has it: `1_000`, `0x1f`, `0b11`, `017`. */
function numberOf(text: string): number {
  const [, sign, digits = ""] = /^([+-]?)(.*)$/.exec(text.replaceAll("_", "")) ?? [];
  return (sign === "-" ? -1 : 1) * Number(digits.replace(/^0(?=[0-7]+$)/, "0o"));
}

/**
 * A recursive descent parser: block, action, pipeline, command, operand. Errors name the line of the current token.
 */
class TemplateParser {
  readonly #tokens: readonly Token[];
  /** Templates defined by `define` and `block`. */
  readonly defined = new Map<string, Block>();
  #at = 0;
  /** Current nesting of blocks and parentheses. */
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): Block {
    const { block, end } = this.#block();
    if (end !== "") {
      throw this.#error(`unexpected {{${end}}}`);
    }
    return block;
  }

  /** Returns the next token without consuming it. */
  #peek(): Token | undefined {
    return this.#tokens[this.#at];
  }

  #error(message: string): TemplateError {
    return new TemplateError(`line ${this.#peek()?.line ?? this.#tokens.at(-1)?.line ?? 1}: ${message}`);
  }

  #next(): Token {
    const token = this.#tokens[this.#at++];
    if (token === undefined) {
      throw this.#error("unexpected end of the template");
    }
    return token;
  }

  /** Consumes the next token if it has this kind. */
  #take(kind: Token["kind"], text?: string): Token | undefined {
    const token = this.#peek();
    if (token?.kind !== kind || (text !== undefined && token.text !== text)) {
      return undefined;
    }
    this.#at++;
    return token;
  }

  /** Requires the end of an action. */
  #close(): void {
    if (this.#take("close") === undefined) {
      throw this.#error(`unexpected ${JSON.stringify(this.#peek()?.text ?? "end")} in action`);
    }
  }

  /** @returns the word that ended the block: `end`, `else`, or "" at the end of the template. Only this word is consumed */
  #block(): { block: TemplateNode[]; end: string } {
    if (++this.#depth > maxDepth) {
      throw this.#error(`more than ${maxDepth} blocks in one another`);
    }
    const block: TemplateNode[] = [];
    for (;;) {
      const token = this.#peek();
      if (token === undefined) {
        this.#depth--;
        return { block, end: "" };
      }
      this.#at++;
      if (token.kind === "text") {
        block.push({ kind: "text", text: token.text });
        continue;
      }
      const word = this.#take("word", "end") ?? this.#take("word", "else");
      if (word !== undefined) {
        this.#depth--;
        return { block, end: word.text };
      }
      const node = this.#action();
      if (node !== undefined) {
        block.push(node);
      }
    }
  }

  /** Parses an action after its opening delimiter. `define` creates no node. */
  #action(): TemplateNode | undefined {
    const token = this.#peek();
    const word = token?.kind === "word" ? token.text : "";
    switch (word) {
      case "if":
      case "with":
      case "range":
        this.#at++;
        return this.#control(word);
      case "break":
      case "continue":
        this.#at++;
        this.#close();
        return { kind: word };
      case "template":
        this.#at++;
        return this.#templateCall(token?.line ?? 0);
      case "define":
        this.#at++;
        this.#define();
        return undefined;
      case "block": {
        this.#at++;
        const name = this.#name();
        const pipeline = this.#pipeline();
        this.#close();
        this.#defineBody(name);
        return { kind: "template", name, pipeline, line: token?.line ?? 0 };
      }
      default: {
        const pipeline = this.#pipeline();
        this.#close();
        return { kind: "output", pipeline };
      }
    }
  }

  /** Parses `if`, `with` or `range` up to its `end`. `else if` nests. */
  #control(kind: "if" | "with" | "range"): TemplateNode {
    const pipeline = this.#pipeline();
    this.#close();
    const { block, end } = this.#block();
    if (end === "end") {
      this.#close();
      return { kind, pipeline, body: block, otherwise: [] };
    }
    if (end !== "else") {
      throw this.#error(`{{${kind}}} without {{end}}`);
    }
    const chained = kind === "range" ? undefined : this.#take("word", kind);
    if (chained !== undefined) {
      return { kind, pipeline, body: block, otherwise: [this.#control(kind)] };
    }
    this.#close();
    const otherwise = this.#block();
    if (otherwise.end !== "end") {
      throw this.#error(`{{${kind}}} without {{end}}`);
    }
    this.#close();
    return { kind, pipeline, body: block, otherwise: otherwise.block };
  }

  #name(): string {
    const name = this.#take("string");
    if (name === undefined) {
      throw this.#error("the name of a template in quotes is missing");
    }
    return name.text;
  }

  #templateCall(line: number): TemplateNode {
    const name = this.#name();
    const pipeline = this.#peek()?.kind === "close" ? undefined : this.#pipeline();
    this.#close();
    return { kind: "template", name, pipeline, line };
  }

  #define(): void {
    const name = this.#name();
    this.#close();
    this.#defineBody(name);
  }

  #defineBody(name: string): void {
    const { block, end } = this.#block();
    if (end !== "end") {
      throw this.#error(`template ${JSON.stringify(name)} without {{end}}`);
    }
    this.#close();
    this.defined.set(name, block);
  }

  /** Parses commands, and the variables before them. Without `:=` or `=` the variables are operands. */
  #pipeline(): Pipeline {
    const variables: string[] = [];
    let declares = false;
    const start = this.#at;
    for (let token = this.#take("variable"); token !== undefined; token = this.#take("variable")) {
      variables.push(token.text);
      if (this.#take("symbol", ",") === undefined) {
        break;
      }
    }
    if (variables.length > 0 && this.#take("symbol", ":=") !== undefined) {
      declares = true;
    } else if (variables.length === 0 || this.#take("symbol", "=") === undefined) {
      variables.length = 0;
      this.#at = start;
    }
    const commands = [this.#command()];
    while (this.#take("symbol", "|") !== undefined) {
      commands.push(this.#command());
    }
    return { commands, variables, declares };
  }

  #command(): Command {
    const line = this.#peek()?.line ?? 0;
    const head = this.#operand();
    if (head.kind === "literal" && head.value === null) {
      throw this.#error("nil is not a command");
    }
    const args: Operand[] = [];
    for (;;) {
      const token = this.#peek();
      const ends = token === undefined || token.kind === "close" || token.kind === "text";
      if (ends || (token.kind === "symbol" && (token.text === "|" || token.text === ")"))) {
        return { head, args, line };
      }
      args.push(this.#operand());
    }
  }

  /** Parses a value with its fields, as `.Req.URL.Path`. */
  #operand(): Operand {
    const startsWithField = this.#peek()?.kind === "field";
    const of = this.#primary();
    const names: string[] = [];
    let line = 0;
    for (;;) {
      const token = this.#peek();
      // A field after a blank is a new operand, except the first field of the dot.
      if (token?.kind !== "field" || (token.spaced && !(startsWithField && names.length === 0))) {
        break;
      }
      this.#at++;
      line = token.line;
      names.push(token.text);
    }
    return names.length === 0 ? of : { kind: "fields", of, names, line };
  }

  /** Parses a value without fields. */
  #primary(): Operand {
    const token = this.#next();
    switch (token.kind) {
      case "string":
        return { kind: "literal", value: token.text };
      case "number":
        return { kind: "literal", value: numberOf(token.text) };
      case "character":
        return { kind: "literal", value: token.text.codePointAt(0) ?? 0 };
      case "variable":
        return { kind: "variable", name: token.text };
      case "field":
        this.#at--;
        return { kind: "dot" };
      case "word": {
        const constant = Object.hasOwn(constants, token.text) ? constants[token.text] : undefined;
        return constant === undefined
          ? { kind: "function", name: token.text, line: token.line }
          : { kind: "literal", value: constant };
      }
      default:
        if (token.kind === "symbol" && token.text === ".") {
          return { kind: "dot" };
        }
        if (token.kind === "symbol" && token.text === "(") {
          return this.#parenthesis();
        }
        this.#at--;
        throw this.#error(`unexpected ${JSON.stringify(token.text || token.kind)} in action`);
    }
  }

  #parenthesis(): Operand {
    if (++this.#depth > maxDepth) {
      throw this.#error(`more than ${maxDepth} parentheses in one another`);
    }
    const pipeline = this.#pipeline();
    this.#depth--;
    if (this.#take("symbol", ")") === undefined) {
      throw this.#error("unclosed left parenthesis");
    }
    return { kind: "pipeline", pipeline };
  }
}

/** Parses a template in Go's syntax. @throws TemplateError naming the line. Source: Go, package text/template */
export function parseTemplate(source: string, open = "{{", close = "}}"): ParsedTemplate {
  const parser = new TemplateParser(new TemplateLexer(source, open, close).read());
  const body = parser.parse();
  return { body, defined: parser.defined };
}
