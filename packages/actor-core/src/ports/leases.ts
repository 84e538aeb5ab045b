/** What a renewal found of one lease. */
export type LeaseState = 'held' | 'lost' | 'missing';

/**
 * Exclusive, expiring ownership of names, for liveness only: the log fences writers, a lease merely keeps two
 * workers from trying at once.
 */
export interface Leases {
  /** Takes the lease when nobody (or this holder) has it. @throws TandemError cluster_unavailable */
  acquire(name: string, holder: string, ttlMs: number): Promise<boolean>;
  /**
   * Extends all of a holder's leases in one round trip.
   * `lost`: another holds it; `missing`: nobody does (it expired, or the store lost it).
   * @throws TandemError cluster_unavailable
   */
  renew(names: readonly string[], holder: string, ttlMs: number): Promise<Map<string, LeaseState>>;
  /** Gives the lease up if this holder has it. @throws TandemError cluster_unavailable */
  release(name: string, holder: string): Promise<void>;
}
