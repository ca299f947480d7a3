import "./try-page.css";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type FormEvent, useEffect, useState } from "react";
import { configQuery } from "../../api/config.ts";
import { type TriedRequest, wayKey, wayQuery } from "../../api/rehearsal.ts";
import { QueryState } from "../../components/query-state.tsx";
import { type DraftFault, draftOf, keepHeaders, type RequestDraft, requestOf } from "./request-draft.ts";
import { WayPanel } from "./way-panel.tsx";

const route = getRouteApi("/try");
/** Methods that the field offers; any other word can be typed. */
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** A form for a request that is not sent, and its rehearsal. */
export function TryPage() {
  return (
    <div className="console-page">
      <div className="page-head">
        <h1>Try a request</h1>
        <p className="muted">See what would become of it. Nothing is sent, and nothing is counted.</p>
      </div>
      <TryForm />
    </div>
  );
}

/**
 * The form, and below it the rehearsal of the last request. "Try it" writes the request into the page's URL, so that
 * links and the browser's buttons repeat it.
 */
function TryForm() {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const [draft, setDraft] = useState(() => draftOf(address));
  const [tried, setTried] = useState<ReturnType<typeof requestOf>>();
  const fault = tried !== undefined && "field" in tried ? tried : undefined;
  const change = (fields: Partial<typeof draft>) => setDraft({ ...draft, ...fields });

  // Triggered by a link, by the button below, and by the browser's own buttons.
  useEffect(() => {
    const next = draftOf(address);
    setDraft(next);
    setTried(address.url === undefined ? undefined : requestOf(next));
  }, [address]);

  function submit(event: FormEvent) {
    event.preventDefault();
    const request = requestOf(draft);
    keepHeaders(draft.headers);
    setTried(request);
    if ("field" in request) {
      document.getElementById(`try-${request.field}`)?.focus();
      return;
    }
    void client.invalidateQueries({ queryKey: wayKey });
    const method = request.method === "GET" ? undefined : request.method;
    void navigate({ search: { url: draft.url.trim(), method, client: request.client } });
  }

  return (
    <>
      <form className="try-form" onSubmit={submit} noValidate>
        <RequestFields draft={draft} change={change} fault={fault} />
        <button type="submit" className="button main">
          Try it
        </button>
        <p id="try-fault" className="try-fault" role="alert">
          {fault?.message}
        </p>
      </form>
      {tried !== undefined && !("field" in tried) && <TriedWay request={tried} />}
    </>
  );
}

interface RequestFieldsProps {
  /** The fields as typed. */
  draft: RequestDraft;
  /** Called with the changed fields. */
  change: (fields: Partial<RequestDraft>) => void;
  /** The fault of the last request. */
  fault: DraftFault | undefined;
}

/** The four fields of a request. The faulty one is marked and points to the message. */
function RequestFields({ draft, change, fault }: RequestFieldsProps) {
  return (
    <>
      <label htmlFor="try-method">Method</label>
      <input
        id="try-method"
        className="field mono"
        list="try-methods"
        value={draft.method}
        onChange={(event) => change({ method: event.target.value })}
        {...faultOf(fault, "method")}
      />
      <datalist id="try-methods">
        {methods.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <label htmlFor="try-url">URL</label>
      <input
        id="try-url"
        className="field mono"
        data-slash
        type="url"
        spellCheck={false}
        placeholder="https://example.com/path"
        value={draft.url}
        onChange={(event) => change({ url: event.target.value })}
        {...faultOf(fault, "url")}
      />
      <label htmlFor="try-headers">Header fields</label>
      <textarea
        id="try-headers"
        className="field mono"
        rows={2}
        spellCheck={false}
        placeholder={"Accept-Language: en\nCookie: a=b"}
        value={draft.headers}
        onChange={(event) => change({ headers: event.target.value })}
        {...faultOf(fault, "headers")}
      />
      <label htmlFor="try-client">Client address</label>
      <input
        id="try-client"
        className="field mono"
        spellCheck={false}
        placeholder="127.0.0.1"
        value={draft.client}
        onChange={(event) => change({ client: event.target.value })}
      />
    </>
  );
}

/** The attributes of a faulty field; none for the others. */
function faultOf(fault: DraftFault | undefined, field: DraftFault["field"]) {
  return fault?.field === field ? { "aria-invalid": true, "aria-describedby": "try-fault" } : {};
}

/** Requests the rehearsal and shows it, or the reason of a failure. */
function TriedWay({ request }: { request: TriedRequest }) {
  const way = useQuery(wayQuery(request));
  // Loaded again each time, because the cached config may be older than the rehearsal.
  const { data } = useQuery({ ...configQuery, queryKey: [...wayKey, "config"], staleTime: 0, gcTime: 0 });
  return <QueryState query={way}>{(found) => <WayPanel way={found} config={data?.document} />}</QueryState>;
}
