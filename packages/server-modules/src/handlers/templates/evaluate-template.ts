import { TemplateStruct } from "./go-types.ts";
import { TemplateError } from "./template-error.ts";
import { checkTextLength, withinLimits } from "./template-limits.ts";
import type { Block, Command, Operand, ParsedTemplate, Pipeline, TemplateNode } from "./template-nodes.ts";
import { actionOutput, fieldOf, isTrue, printed } from "./template-values.ts";

export type TemplateFunction = (...args: never[]) => unknown;

/**
 * Maximum number of nodes and commands that one page may execute. A page with more fails, so that no loop blocks the
 * thread.
 */
const maxSteps = 1_000_000;
const maxCalls = 100;

/**
 * - `break`, `continue`: ends or continues the enclosing `range`
 * - undefined: execution continues normally
 */
type Signal = "break" | "continue" | undefined;

/** Variables visible at a place of the template. */
interface Scope {
  /** Value of `.`. */
  readonly dot: unknown;
  /** Variables that the block declared. */
  readonly variables: Map<string, unknown>;
  /** Enclosing block; undefined for the outermost. */
  readonly outer: Scope | undefined;
}

/** Finds the nearest scope that defines a variable. */
function scopeWith(name: string, scope: Scope | undefined): Scope | undefined {
  for (let each = scope; each !== undefined; each = each.outer) {
    if (each.variables.has(name)) {
      return each;
    }
  }
  return undefined;
}

/** Runs templates, within limits of steps and output. Source: Go, package text/template */
export class TemplateRun {
  readonly #functions: Readonly<Record<string, TemplateFunction>>;
  /** Templates by name, including imported ones. */
  #defined = new Map<string, Block>();
  /** Output of the current template. */
  #output: string[] = [];
  /** Characters that all nested templates have written until now. */
  #length = 0;
  /** Executed steps over all nested templates. */
  #steps = 0;
  /** Nesting depth of templates. */
  #calls = 0;

  constructor(functions: Readonly<Record<string, TemplateFunction>>) {
    this.#functions = functions;
  }

  /** Adds the named templates of another template. */
  define(template: ParsedTemplate): void {
    this.#defined = new Map([...this.#defined, ...template.defined]);
  }

  /** @returns the output of the template. @throws TemplateError, or the error of a function */
  async run(template: ParsedTemplate, dot: unknown): Promise<string> {
    if (++this.#calls > maxCalls) {
      throw new TemplateError(`more than ${maxCalls} templates in one another`);
    }
    this.define(template);
    const outer = this.#output;
    this.#output = [];
    try {
      await this.#block(template.body, TemplateRun.#top(dot));
      return this.#output.join("");
    } finally {
      this.#output = outer;
      this.#calls--;
    }
  }

  /** The scope of a template: `$` is its dot. */
  static #top(dot: unknown): Scope {
    return { dot, variables: new Map([["", dot]]), outer: undefined };
  }

  /** Appends to the output, up to the limit. */
  #print(text: string): void {
    this.#length += text.length;
    checkTextLength(this.#length);
    this.#output.push(text);
  }

  /** Counts a step. @throws TemplateError above the limit */
  #step(): void {
    if (++this.#steps > maxSteps) {
      throw new TemplateError(`more than ${maxSteps} steps`);
    }
  }

  async #block(block: Block, scope: Scope): Promise<Signal> {
    for (const node of block) {
      this.#step();
      const signal = await this.#node(node, scope);
      if (signal !== undefined) {
        return signal;
      }
    }
    return undefined;
  }

  async #node(node: TemplateNode, scope: Scope): Promise<Signal> {
    switch (node.kind) {
      case "text":
        this.#print(node.text);
        return undefined;
      case "output": {
        const value = await this.#pipeline(node.pipeline, scope);
        if (node.pipeline.variables.length === 0) {
          this.#print(actionOutput(value));
        }
        return undefined;
      }
      case "if":
      case "with": {
        const inner: Scope = { dot: scope.dot, variables: new Map(), outer: scope };
        const value = await this.#pipeline(node.pipeline, inner);
        if (!isTrue(value)) {
          return this.#block(node.otherwise, inner);
        }
        return this.#block(node.body, node.kind === "with" ? { ...inner, dot: value } : inner);
      }
      case "range":
        return this.#range(node, scope);
      case "template":
        await this.#template(node.name, node.pipeline, scope, node.line);
        return undefined;
      default:
        return node.kind;
    }
  }

  /** Runs the body for each entry, or `else` without entries. A number counts from 0. */
  async #range(
    node: Extract<TemplateNode, { pipeline: Pipeline; body: Block }>,
    scope: Scope,
  ): Promise<Signal> {
    const { commands, variables } = node.pipeline;
    const value = await this.#pipeline({ commands, variables: [], declares: false }, scope);
    const entries = entriesOf(value);
    if (entries.length === 0) {
      return this.#block(node.otherwise, scope);
    }
    for (const [key, each] of entries) {
      this.#step();
      const inner: Scope = { dot: each, variables: new Map(), outer: scope };
      const [first, second] = variables;
      if (second !== undefined) {
        inner.variables.set(first ?? "", key).set(second, each);
      } else if (first !== undefined) {
        inner.variables.set(first, each);
      }
      if ((await this.#block(node.body, inner)) === "break") {
        break;
      }
    }
    return undefined;
  }

  /** Runs a defined template with a new dot and without the caller's variables. */
  async #template(name: string, pipeline: Pipeline | undefined, scope: Scope, line: number): Promise<void> {
    const block = this.#defined.get(name);
    if (block === undefined) {
      throw new TemplateError(`line ${line}: template ${JSON.stringify(name)} not defined`);
    }
    if (++this.#calls > maxCalls) {
      throw new TemplateError(`line ${line}: more than ${maxCalls} templates in one another`);
    }
    const dot = pipeline === undefined ? null : await this.#pipeline(pipeline, scope);
    await this.#block(block, TemplateRun.#top(dot));
    this.#calls--;
  }

  /** Runs commands; each gets the previous result as its last argument. */
  async #pipeline({ commands, variables, declares }: Pipeline, scope: Scope): Promise<unknown> {
    let value: unknown;
    for (const [index, command] of commands.entries()) {
      value = await this.#command(command, scope, index === 0 ? [] : [value]);
    }
    for (const name of variables) {
      const target = declares ? scope : scopeWith(name, scope);
      if (target === undefined) {
        throw new TemplateError(`undefined variable $${name}`);
      }
      target.variables.set(name, value);
    }
    return value;
  }

  /** Calls a function or method, or returns a value. `and` and `or` stop at the deciding value. */
  async #command({ head, args, line }: Command, scope: Scope, last: readonly unknown[]): Promise<unknown> {
    this.#step();
    if (head.kind === "function" && (head.name === "and" || head.name === "or")) {
      return this.#shortCircuit(head.name, args, scope, last);
    }
    const values: unknown[] = [];
    for (const arg of args) {
      values.push(await this.#operand(arg, scope));
    }
    values.push(...last);
    if (head.kind === "function" || head.kind === "fields") {
      return this.#call(head, values, scope);
    }
    if (values.length > 0) {
      throw new TemplateError(`line ${line}: can't give argument to what is no function`);
    }
    return this.#operand(head, scope);
  }

  async #shortCircuit(
    name: "and" | "or",
    args: readonly Operand[],
    scope: Scope,
    last: readonly unknown[],
  ): Promise<unknown> {
    let value: unknown = null;
    for (const arg of args) {
      value = await this.#operand(arg, scope);
      if (isTrue(value) === (name === "or")) {
        return value;
      }
    }
    return last.length > 0 ? last[0] : value;
  }

  /** Calls the head of a command with its arguments. */
  async #call(head: Operand, values: readonly unknown[], scope: Scope): Promise<unknown> {
    if (head.kind === "function") {
      const found = Object.hasOwn(this.#functions, head.name) ? this.#functions[head.name] : undefined;
      if (found === undefined) {
        throw new TemplateError(`line ${head.line}: function "${head.name}" not defined`);
      }
      return withinLimits(await found(...(values as never[])));
    }
    const value = await this.#operand(head, scope, false);
    if (typeof value === "function") {
      return (value as TemplateFunction)(...(values as never[]));
    }
    if (values.length > 0) {
      throw new TemplateError("can't give argument to what is no function");
    }
    return value;
  }

  /** @param calls true when a method without arguments is called */
  async #operand(operand: Operand, scope: Scope, calls = true): Promise<unknown> {
    switch (operand.kind) {
      case "literal":
        return operand.value;
      case "dot":
        return scope.dot;
      case "variable": {
        const found = scopeWith(operand.name, scope);
        if (found === undefined) {
          throw new TemplateError(`undefined variable $${operand.name}`);
        }
        return found.variables.get(operand.name);
      }
      case "function":
        return this.#call(operand, [], scope);
      case "pipeline":
        return this.#pipeline(operand.pipeline, { dot: scope.dot, variables: new Map(), outer: scope });
      default: {
        let value = await this.#operand(operand.of, scope);
        for (const [index, name] of operand.names.entries()) {
          value = fieldOf(value, name);
          if (typeof value === "function" && (calls || index < operand.names.length - 1)) {
            value = await (value as TemplateFunction)();
          }
        }
        return value;
      }
    }
  }
}

/** Keys and values for `range`. Maps are sorted by key, as in Go. */
function entriesOf(value: unknown): [unknown, unknown][] {
  if (Array.isArray(value)) {
    return value.map((each, index) => [index, each]);
  }
  if (typeof value === "number") {
    return Array.from({ length: Math.max(0, Math.min(maxSteps, value)) }, (_, index) => [index, index]);
  }
  if (value instanceof Map) {
    return [...value].sort(([a], [b]) => (printed(a) < printed(b) ? -1 : 1));
  }
  if (value instanceof TemplateStruct || value instanceof Date) {
    throw new TemplateError(`range can't iterate over ${value instanceof Date ? "a time" : value.type}`);
  }
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  }
  return [];
}
