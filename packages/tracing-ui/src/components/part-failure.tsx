import "./part-failure.css";

/**
 * Shows in a line that a part of a page could not be read, while the rest is shown. A button requests it
 * again.
 * @param what the part, with a capital letter, in the plural: `Rates of services`
 */
export function PartFailure(props: { what: string; error: Error | null | undefined; onRetry: () => void }) {
  const { what, error, onRetry } = props;
  return (
    <p className="part-failure" role="alert">
      {what} could not be read: {error?.message}{" "}
      <button type="button" className="link" onClick={onRetry}>
        Try again
      </button>
    </p>
  );
}
