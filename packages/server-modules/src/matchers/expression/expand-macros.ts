import { parse } from "@bufbuild/cel";
import { ServerError } from "server-core/errors";
import { sortByKeys } from "./cel-lists.ts";
import { extremeFunctions } from "./cel-math.ts";
import { childrenOf } from "./expression-parts.ts";

type Expr = NonNullable<ReturnType<typeof parse>["expr"]>;
type Call = Extract<Expr["exprKind"], { case: "callExpr" }>["value"];

/** Parses a small expression that serves as a template. */
const parsed = (text: string): Expr["exprKind"] => parse(text).expr?.exprKind ?? { case: undefined };

/** The name of a macro's variable. @throws ServerError MODULE_CONFIG */
function variable(expr: Expr | undefined, macro: string): string {
  if (expr?.exprKind.case !== "identExpr") {
    throw new ServerError(
      "MODULE_CONFIG",
      `compiling CEL program: ${macro} variable must be a simple identifier`,
    );
  }
  return expr.exprKind.value.name;
}

/** `cel.bind(name, value, body)` becomes a loop without elements, whose result is the body. */
function bind({ args }: Call): Expr["exprKind"] | undefined {
  const [name, value, body] = args;
  if (args.length !== 3 || value === undefined || body === undefined) {
    return undefined;
  }
  const made = parsed("[].all(unused, false)");
  if (made.case !== "comprehensionExpr") {
    return undefined;
  }
  const accuVar = variable(name, "cel.bind()");
  const loopCondition = parse("false").expr;
  const loopStep = parse(accuVar).expr;
  if (loopCondition === undefined || loopStep === undefined) {
    return undefined;
  }
  Object.assign(made.value, { accuVar, accuInit: value, loopCondition, loopStep, result: body });
  return made;
}

/** `list.sortBy(name, key)`: computes the keys of all elements, then sorts the elements by key. */
function sortBy({ target, args }: Call): Expr["exprKind"] | undefined {
  const [name, key] = args;
  if (target === undefined || args.length !== 2 || key === undefined) {
    return undefined;
  }
  const made = parsed(`[].map(${variable(name, "sortBy()")}, 0).keys([])`);
  const keys = made.case === "callExpr" ? made.value.target?.exprKind : undefined;
  if (made.case !== "callExpr" || keys?.case !== "comprehensionExpr") {
    return undefined;
  }
  const step = keys.value.loopStep?.exprKind;
  const added = step?.case === "callExpr" ? step.value.args[1]?.exprKind : undefined;
  if (added?.case !== "listExpr") {
    return undefined;
  }
  added.value.elements = [key];
  keys.value.iterRange = target;
  made.value.function = sortByKeys;
  made.value.args = [target];
  return made;
}

/** `math.greatest(1, 2)`: the arguments become one list; an argument that is a list stays. */
function extreme(call: Call, name: string): Expr["exprKind"] | undefined {
  const [first] = call.args;
  if (first === undefined) {
    return undefined;
  }
  call.function = name.slice("math.".length);
  if (call.args.length === 1 && !isNumber(first)) {
    return undefined;
  }
  const made = parse("[]").expr;
  if (made?.exprKind.case === "listExpr") {
    made.exprKind.value.elements = call.args;
    call.args = [made];
  }
  return undefined;
}

const isNumber = ({ exprKind }: Expr) =>
  exprKind.case === "constExpr" &&
  ["int64Value", "uint64Value", "doubleValue"].includes(exprKind.value.constantKind.case ?? "");

/** The expanded macro; undefined for a call that is not such a macro. */
function expanded(call: Call): Expr["exprKind"] | undefined {
  const of = call.target?.exprKind.case === "identExpr" ? call.target.exprKind.value.name : "";
  if (of === "cel" && call.function === "bind") {
    return bind(call);
  }
  if (of === "math" && (call.function === "greatest" || call.function === "least")) {
    return extreme(call, extremeFunctions[call.function]);
  }
  return call.function === "sortBy" ? sortBy(call) : undefined;
}

/** Expands macros that the parser does not know. @param expr changed in place */
export function expandMacros(expr: Expr): void {
  for (const child of childrenOf(expr)) {
    if (child !== undefined) {
      expandMacros(child);
    }
  }
  const made = expr.exprKind.case === "callExpr" ? expanded(expr.exprKind.value) : undefined;
  if (made !== undefined) {
    expr.exprKind = made;
  }
}
