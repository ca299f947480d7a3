import type { parse } from "@bufbuild/cel";
import { ServerError } from "server-core/errors";
import { functions, methods, type Overload } from "./cel-functions.ts";
import {
  bool,
  bytes,
  type CelKind,
  double,
  dyn,
  fits,
  int,
  joined,
  kindText,
  list,
  map,
  nil,
  string,
  type,
  uint,
} from "./cel-types.ts";

type Expr = NonNullable<ReturnType<typeof parse>["expr"]>;
/** The content of a node for one case. */
type Kind<Case extends string> = Extract<Expr["exprKind"], { case: Case }>["value"];

/** Variables of a macro, such as `x` in `[1].all(x, x > 0)`, with their types. */
type Scope = ReadonlyMap<string, CelKind>;

/** Type names allowed in an expression. */
const typeNames = new Set([
  ...["bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type", "type"],
  ...["google.protobuf.Timestamp", "google.protobuf.Duration"],
]);

/** Types of the literals. */
const constants: Readonly<Record<string, CelKind>> = {
  boolValue: bool,
  int64Value: int,
  uint64Value: uint,
  doubleValue: double,
  stringValue: string,
  bytesValue: bytes,
  nullValue: nil,
};

/** Refuses the expression, with Caddy's message. */
function fail(reason: string): never {
  throw new ServerError("MODULE_CONFIG", `compiling CEL program: ${reason}`);
}

function undeclared(name: string): never {
  return fail(`undeclared reference to '${name}' (in container '')`);
}

function noOverload(name: string, kinds: readonly CelKind[], isMethod = false): never {
  const texts = kinds.map(kindText);
  const [target = ""] = isMethod ? texts.splice(0, 1) : [];
  const applied = `(${texts.join(", ")})`;
  return fail(
    `found no matching overload for '${name}' applied to '${isMethod ? `${target}.` : ""}${applied}'`,
  );
}

/** The dotted name of nested selections, `google.protobuf`; "" for other expressions. */
function dottedName({ exprKind }: Expr): string {
  if (exprKind.case === "identExpr") {
    return exprKind.value.name;
  }
  const operand = exprKind.case === "selectExpr" ? exprKind.value.operand : undefined;
  return operand === undefined || exprKind.case !== "selectExpr"
    ? ""
    : `${dottedName(operand)}.${exprKind.value.field}`;
}

/**
 * Infers the types of an expression. A type that is known only with the request is `dyn`, which fits everywhere.
 * Therefore the checker refuses only expressions that fail for every request. Source: the definition of CEL; Caddy's
 * functions
 */
class TypeChecker {
  readonly #results: Readonly<Record<string, CelKind>>;

  /** @param results result types of the functions that this server adds */
  constructor(results: Readonly<Record<string, CelKind>>) {
    this.#results = results;
  }

  /** @throws ServerError MODULE_CONFIG for an expression that fails for every request */
  kindOf(expr: Expr, scope: Scope): CelKind {
    const { exprKind } = expr;
    switch (exprKind.case) {
      case "constExpr":
        return constants[exprKind.value.constantKind.case ?? ""] ?? dyn;
      case "identExpr":
        return this.#identifier(exprKind.value.name, scope);
      case "selectExpr":
        return this.#selection(exprKind.value, scope);
      case "callExpr":
        return this.#call(exprKind.value, scope);
      case "listExpr":
        return list(this.#common(exprKind.value.elements, scope));
      case "structExpr":
        return this.#struct(exprKind.value, scope);
      case "comprehensionExpr":
        return this.#comprehension(exprKind.value, scope);
      default:
        return dyn;
    }
  }

  /** A variable of a macro, or the name of a type. */
  #identifier(name: string, scope: Scope): CelKind {
    return scope.get(name) ?? (typeNames.has(name) ? type : undeclared(name));
  }

  /** `a.b`: a member of a map. */
  #selection({ operand, field, testOnly }: Kind<"selectExpr">, scope: Scope): CelKind {
    if (operand !== undefined && typeNames.has(`${dottedName(operand)}.${field}`)) {
      return type;
    }
    const from = operand === undefined ? dyn : this.kindOf(operand, scope);
    if (from.name !== "dyn" && from.name !== "map") {
      return fail(`type '${kindText(from)}' does not support field selection`);
    }
    return testOnly ? bool : (from.parts?.[1] ?? dyn);
  }

  /** Type of a call: a function of this server, a namespaced function, a method, an operator, or a plain function. */
  #call({ target, function: name, args }: Kind<"callExpr">, scope: Scope): CelKind {
    const ours = target === undefined ? this.#results[name] : undefined;
    if (ours !== undefined) {
      return ours;
    }
    const qualified = target === undefined ? undefined : this.#qualified(target, name, scope);
    if (qualified !== undefined) {
      const kinds = args.map((part) => this.kindOf(part, scope));
      return this.#resultOf(qualified, functions[qualified] ?? [], kinds, false);
    }
    const overloads = target === undefined ? functions[name] : methods[name];
    const parts = target === undefined ? args : [target, ...args];
    if (overloads === undefined && target !== undefined) {
      return undeclared(name);
    }
    const kinds = parts.map((part) => this.kindOf(part, scope));
    const special = this.#special(name, kinds);
    if (special !== undefined) {
      return special;
    }
    if (overloads === undefined) {
      return undeclared(name);
    }
    return this.#resultOf(name, overloads, kinds, target !== undefined);
  }

  /** The name of a namespaced function such as `math.abs`, which is parsed as a method of a variable. */
  #qualified({ exprKind }: Expr, name: string, scope: Scope): string | undefined {
    if (exprKind.case !== "identExpr" || scope.has(exprKind.value.name)) {
      return undefined;
    }
    const qualified = `${exprKind.value.name}.${name}`;
    return functions[qualified] === undefined ? undefined : qualified;
  }

  /** Result of operators that accept values of any common type. */
  #special(name: string, kinds: readonly CelKind[]): CelKind | undefined {
    const [first = dyn, second = dyn, third = dyn] = kinds;
    switch (name) {
      case "_==_":
      case "_!=_":
        return fits(first, second) ? bool : noOverload(name, kinds);
      case "_?_:_":
        return fits(first, bool) && fits(second, third) ? joined(second, third) : noOverload(name, kinds);
      case "_[_]":
        return this.#element(first, second) ?? noOverload(name, kinds);
      case "@in":
      case "_in_":
        return this.#contains(second, first) ? bool : noOverload("@in", kinds);
      default:
        return undefined;
    }
  }

  /** Type of `a[b]`; undefined when the types do not allow an index. */
  #element(from: CelKind, index: CelKind): CelKind | undefined {
    const [key = dyn, value = dyn] = from.parts ?? [];
    switch (from.name) {
      case "dyn":
        return dyn;
      case "list":
        return fits(index, int) ? key : undefined;
      case "map":
        return fits(index, key) ? value : undefined;
      default:
        return undefined;
    }
  }

  /** True when `b in a` is allowed. */
  #contains(from: CelKind, kind: CelKind): boolean {
    const isCollection = from.name === "list" || from.name === "map";
    return from.name === "dyn" || (isCollection && fits(kind, from.parts?.[0] ?? dyn));
  }

  /** The common result type of all overloads that fit the arguments. */
  #resultOf(
    name: string,
    overloads: readonly Overload[],
    kinds: readonly CelKind[],
    isMethod: boolean,
  ): CelKind {
    const fitting = overloads.filter(
      ({ args }) =>
        args.length === kinds.length && args.every((arg, index) => fits(kinds[index] ?? dyn, arg)),
    );
    const [first] = fitting;
    if (first === undefined) {
      return noOverload(name, kinds, isMethod);
    }
    return fitting.map(({ result }) => result).reduce(joined);
  }

  /** Finds the common type of elements. */
  #common(elements: readonly Expr[], scope: Scope): CelKind {
    return elements.length === 0 ? dyn : elements.map((each) => this.kindOf(each, scope)).reduce(joined);
  }

  #struct({ messageName, entries }: Kind<"structExpr">, scope: Scope): CelKind {
    if (messageName !== "") {
      return undeclared(messageName);
    }
    const keys = entries.flatMap(({ keyKind }) => (keyKind.case === "mapKey" ? [keyKind.value] : []));
    const values = entries.flatMap(({ value }) => (value === undefined ? [] : [value]));
    return map(this.#common(keys, scope), this.#common(values, scope));
  }

  /** The type of a macro such as `all`, which the parser has expanded to a loop. */
  #comprehension(macro: Kind<"comprehensionExpr">, scope: Scope): CelKind {
    const { iterRange, accuInit, loopCondition, loopStep, result } = macro;
    const range = iterRange === undefined ? dyn : this.kindOf(iterRange, scope);
    if (range.name !== "dyn" && range.name !== "list" && range.name !== "map") {
      return fail(`expression of type '${kindText(range)}' cannot be range of a comprehension`);
    }
    const inner = new Map(scope);
    inner.set(macro.iterVar, range.parts?.[0] ?? dyn);
    const start = accuInit === undefined ? dyn : this.kindOf(accuInit, scope);
    inner.set(macro.accuVar, start);
    for (const part of [loopCondition, loopStep]) {
      if (part !== undefined) {
        this.kindOf(part, inner);
      }
    }
    return result === undefined ? dyn : this.kindOf(result, inner);
  }
}

/**
 * Checks that an expression is a valid condition: all names exist, arguments fit their functions, and the result is a
 * boolean.
 * @param results result types of functions that are called only with constants
 * @throws ServerError MODULE_CONFIG
 */
export function checkCondition(expr: Expr, results: Readonly<Record<string, CelKind>>): void {
  const kind = new TypeChecker(results).kindOf(expr, new Map());
  if (kind.name !== "bool") {
    throw new ServerError(
      "MODULE_CONFIG",
      `CEL request matcher expects return type of bool, not ${kindText(kind)}`,
    );
  }
}
