/** Where a reader writes to: the response of one client. None of its promises rejects. */
export interface Sink {
  /** Takes bytes. Gives a promise when they pile up; it settles once there is room, or the client is gone. */
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** Whether everything written left this process (false: the client went first). */
  flushed(): Promise<boolean>;
  /**
   * Ends the response.
   * @param confirm whether to find out, if the transport can, that the client took everything
   * @returns whether it is known to have
   */
  end(confirm: boolean): Promise<boolean>;
  /** Drops a client that does not take what it is sent. */
  destroy(): void;
}
