/// Statements on the acts and keys of groups.
final class GroupStatements: StatementGroup {
    lazy var addAct = self.sql(
        "INSERT OR IGNORE INTO acts (conversation, id, act) VALUES (:conversation, :id, :act)")
    lazy var removeAct = self.sql(
        "DELETE FROM acts WHERE conversation = :conversation AND id = :id")
    lazy var removeActs = self.sql("DELETE FROM acts WHERE conversation = :conversation")
    lazy var addEpoch = self.sql(
        """
        INSERT OR REPLACE INTO epochs (conversation, id, key, maker, device, basis, people, placed)
        VALUES (:conversation, :id, :key, :maker, :device, :basis, :people, :placed)
        """)
    lazy var removeEpochs = self.sql("DELETE FROM epochs WHERE conversation = :conversation")
    lazy var replaceRequest = self.sql(
        """
        INSERT OR REPLACE INTO asked (hash, device, id, acts, milliseconds, source)
        VALUES (:hash, :device, :id, :acts, :milliseconds, :source)
        """)
    lazy var removeRequest = self.sql("DELETE FROM asked WHERE hash = :hash")
}
