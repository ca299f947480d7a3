import "./conversation-view.css";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { Duration } from "ui-kit/components/duration.tsx";
import { Pager } from "ui-kit/components/pager.tsx";
import { cutMiddle } from "ui-kit/format/cut-middle.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import type { GenAiMessage, MessagePart } from "wire/gen-ai/messages";
import { type ModelPrices, modelPricesQuery } from "../../../api/model-prices.ts";
import { PartFailure } from "../../../components/part-failure.tsx";
import { ServiceMark } from "../../../components/service-mark.tsx";
import { money } from "../../../format/money.ts";
import { type GenAiCall, genAiCalls } from "../../../trace/gen-ai.ts";
import { costOf, totalsOf } from "../../../trace/gen-ai-cost.ts";
import { splitHistory } from "../../../trace/gen-ai-history.ts";
import { spanFlag, type Trace } from "../../../trace/trace.ts";
import { isSavedPage } from "../saved-trace.ts";
import { changedAddress } from "../trace-address.ts";

const route = getRouteApi("/trace/$traceId");
/** Number of calls on a page. It is small, because each call needs many elements. */
const callsPerPage = 200;
/** Maximum number of letters shown of a text; the span's attributes have the whole text. */
const mostLetters = 20_000;
/** Maximum number of letters of an operation; the middle of a longer name is cut out. */
const mostNameLetters = 60;
/** Maximum number of indented levels; deeper calls get the same indent. */
const deepest = 6;

/**
 * Messages to models, agents and tools, and their answers, with tokens and cost. Nested calls are
 * indented. Without such spans a text explains which attributes mark them. If prices cannot be loaded, costs are left
 * out.
 */
export function ConversationView({ trace, hues }: { trace: Trace; hues: ReadonlyMap<string, number> }) {
  const calls = useMemo(() => genAiCalls(trace), [trace]);
  const asked = useQuery({ ...modelPricesQuery(), enabled: !isSavedPage() });
  const prices = asked.data;
  const [page, setPage] = useState(1);
  return (
    <div className="conversation">
      <Totals calls={calls} prices={prices} />
      {asked.isError && (
        <PartFailure what="Prices of models" error={asked.error} onRetry={() => void asked.refetch()} />
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by key */}
      <section className="conversation-scroll" aria-label="Conversation" tabIndex={0}>
        {calls.length === 0 && (
          <p className="muted">
            No span of this trace is one of a model, an agent or a tool: they have attributes that begin with{" "}
            <code>gen_ai.</code> or <code>llm.</code>
          </p>
        )}
        <ol>
          {calls.slice((page - 1) * callsPerPage, page * callsPerPage).map((call) => (
            <li key={call.span} style={{ marginInlineStart: `${Math.min(call.level, deepest) * 16}px` }}>
              <Call {...{ trace, hues, call, prices }} />
            </li>
          ))}
        </ol>
        <Pager page={page} perPage={callsPerPage} total={calls.length} what="calls" onPage={setPage} />
      </section>
    </div>
  );
}

/**
 * Calls, tokens and cost of the whole trace.
 * @param prices undefined when unknown: no cost is shown then
 */
function Totals({ calls, prices }: { calls: readonly GenAiCall[]; prices: ModelPrices | undefined }) {
  const totals = useMemo(() => totalsOf(calls, prices?.models ?? []), [calls, prices]);
  return (
    <div className="conversation-totals" role="status">
      <span>
        <b>{formatCount(totals.calls)}</b> {totals.calls === 1 ? "call" : "calls"} with tokens
      </span>
      <span>
        <b>{formatCount(totals.inputTokens)}</b> in, <b>{formatCount(totals.outputTokens)}</b> out
      </span>
      {prices !== undefined && (
        <span>
          {totals.cost === undefined ? (
            <span className="muted">no price</span>
          ) : (
            <b>{money(totals.cost, prices.currency)}</b>
          )}
          {totals.unpriced > 0 && totals.cost !== undefined && (
            <span className="muted" title={totals.unpricedModels.slice(0, 20).join(", ")}>
              {" "}
              not counting {formatCount(totals.unpriced)} {totals.unpriced === 1 ? "call" : "calls"} that have
              no price
            </span>
          )}
        </span>
      )}
      {!isSavedPage() && <Link to="/models">Calls of all traces</Link>}
    </div>
  );
}

interface CallProps {
  /** The trace of the call. */
  trace: Trace;
  /** Hues of services, in degrees. */
  hues: ReadonlyMap<string, number>;
  /** The call with its messages. */
  call: GenAiCall;
  /** Prices of models; undefined when unknown. */
  prices: ModelPrices | undefined;
}

/**
 * A call: operation, span, figures, and messages. Messages repeated from earlier calls are hidden behind a
 * click.
 */
function Call({ trace, hues, call, prices }: CallProps) {
  const address = route.useSearch();
  const { spanID = "", operationName = "" } = trace.spans[call.span] ?? {};
  const service = trace.services[trace.service[call.span] as number] ?? "";
  const hasFailed = ((trace.flags[call.span] as number) & spanFlag.error) !== 0;
  const { earlier, recent } = splitHistory(call.messages.input);
  return (
    <article className="conversation-call" aria-label={`${call.operation} ${call.name || call.model}`}>
      <header>
        <span className="conversation-kind">{cutMiddle(call.operation, mostNameLetters)}</span>
        <Link
          className="conversation-span"
          to="/trace/$traceId"
          params={{ traceId: trace.traceId }}
          search={changedAddress(address, {
            ...{ view: undefined, q: undefined },
            span: spanID,
            open: spanID,
          })}
        >
          <ServiceMark hue={hues.get(service)} />
          <bdi>{cutMiddle(call.name || operationName, mostNameLetters)}</bdi>
        </Link>
        {hasFailed && <span className="conversation-failed">failed</span>}
        <Figures call={call} prices={prices} />
        <Duration us={trace.spanUs[call.span] as number} />
      </header>
      {earlier.length > 0 && (
        <details>
          <summary>
            {formatCount(earlier.length)} earlier {earlier.length === 1 ? "message" : "messages"}
          </summary>
          <Messages messages={earlier} />
        </details>
      )}
      <Messages messages={recent} />
      <Messages messages={call.messages.output} />
      {call.scores.map((score, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an answer may be judged twice by one name
        <p className="conversation-score" key={index}>
          <b dir="auto">{score.name}</b> <span dir="auto">{score.value}</span>{" "}
          <span className="muted" dir="auto">
            {score.explanation}
          </span>
        </p>
      ))}
    </article>
  );
}

/** Model, tokens, cost and time to the first token, as far as the span has them. */
function Figures({ call, prices }: Pick<CallProps, "call" | "prices">) {
  const { model, provider, inputTokens, outputTokens, cachedTokens, firstTokenUs } = call;
  const hasTokens = inputTokens !== undefined || outputTokens !== undefined;
  const cost = prices === undefined ? undefined : costOf(call, prices.models);
  return (
    <span className="conversation-figures">
      {model !== "" && (
        <span title={provider === "" ? undefined : `of ${provider}`}>
          {cutMiddle(model, mostNameLetters)}
        </span>
      )}
      {hasTokens && (
        <span>
          {inputTokens === undefined ? "?" : formatCount(inputTokens)} in
          {cachedTokens !== undefined && cachedTokens > 0 && ` (${formatCount(cachedTokens)} cached)`},{" "}
          {outputTokens === undefined ? "?" : formatCount(outputTokens)} out
          {call.isSum && " in all"}
        </span>
      )}
      {hasTokens && !call.isSum && prices !== undefined && (
        <span className={cost === undefined ? "muted" : undefined}>
          {cost === undefined ? "no price" : money(cost, prices.currency)}
        </span>
      )}
      {firstTokenUs !== undefined && (
        <span>
          first token <Duration us={firstTokenUs} />
        </span>
      )}
    </span>
  );
}

/** Messages with their roles. A finish reason other than `stop` is shown beside the role. */
function Messages({ messages }: { messages: readonly GenAiMessage[] }) {
  return messages.map((message, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: messages have no name of their own
    <div className="conversation-message" data-role={message.role} key={index}>
      <span className="conversation-role">
        {cutMiddle(message.role, mostNameLetters)}
        {message.finish !== "" && message.finish !== "stop" && (
          <span className="muted"> {cutMiddle(message.finish, mostNameLetters)}</span>
        )}
      </span>
      <div>
        {message.parts.map((part, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: nor have their parts
          <Part key={place} part={part} />
        ))}
        {message.parts.length === 0 && <span className="muted">without content</span>}
      </div>
    </div>
  ));
}

/** Shows one part of a message. Reasoning and unknown kinds are hidden behind a click. */
function Part({ part }: { part: MessagePart }) {
  switch (part.kind) {
    case "text":
      return <Said text={part.text} />;
    case "reasoning":
      return (
        <details>
          <summary>Reasoning</summary>
          <Said text={part.text} />
        </details>
      );
    case "call":
      return (
        <div className="conversation-tool">
          <span>
            calls <b dir="auto">{part.name || "a tool"}</b>
          </span>
          <Said text={part.text} />
        </div>
      );
    case "result":
      return (
        <div className="conversation-tool">
          <span>result</span>
          <Said text={part.text} />
        </div>
      );
    case "other":
      return (
        <details>
          <summary>{cutMiddle(part.name || "another kind", mostNameLetters)}</summary>
          <Said text={part.text} />
        </details>
      );
  }
}

/** Text of a traced program. It is never rendered as markup, and a long text is cut. */
function Said({ text }: { text: string }) {
  return (
    <>
      <p className="conversation-text" dir="auto">
        {text.slice(0, mostLetters)}
      </p>
      {text.length > mostLetters && (
        <p className="muted">
          and {formatCount(text.length - mostLetters)} more letters, in the attributes of the span
        </p>
      )}
    </>
  );
}
