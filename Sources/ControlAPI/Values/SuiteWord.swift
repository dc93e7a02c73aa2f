/// How the messages of a secret room are sealed.
package enum SuiteWord: String, WordValue {
    /// XChaCha20-Poly1305, on every machine.
    case xchacha20Poly1305 = "xchacha20-poly1305"
    /// AES-256-GCM, where the processor has AES.
    case aes256GCM = "aes-256-gcm"
}
