package crossbind.worker;

/** The binding lacks a feature, named in the words of the graph: "layer gru". */
public final class Unsupported extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Unsupported(String feature) {
        super(feature);
    }
}
