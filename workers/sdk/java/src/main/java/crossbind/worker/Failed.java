package crossbind.worker;

/** The request failed, with one of the protocol's codes. */
public final class Failed extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String code;

    public Failed(String code, String message) {
        this(code, message, null);
    }

    public Failed(String code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    public static Failed badRequest(String message) {
        return new Failed("bad_request", message);
    }

    public static Failed badInput(String message) {
        return new Failed("bad_input", message);
    }

    public static Failed notFinite(String message) {
        return new Failed("not_finite", message);
    }

    public String code() {
        return code;
    }
}
